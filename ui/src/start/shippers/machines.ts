/** What machines and container engines send themselves, and the event collector protocol that some of them use. */
import type { Shipper } from './shipper'

const DOCKER_TAG = '{{.Name}}'

export const COLLECTOR: Shipper = {
  name: 'collector',
  label: 'HTTP event collector',
  intro: "For everything that writes to Splunk's HTTP Event Collector.",
  snippets: [
    {
      title: 'Events',
      language: 'Shell',
      needs: 'compat',
      text: `curl '%ORIGIN%/services/collector/event' \\
  -H 'Authorization: Splunk %TOKEN%' -d '
{"host": "web-1", "index": "%INDEX%", "event": "order placed", "fields": {"region": "eu"}}
{"host": "web-1", "index": "%INDEX%", "event": {"message": "card declined", "level": "error"}}'`,
    },
    {
      title: 'Text',
      language: 'Shell',
      needs: 'compat',
      text: `curl '%ORIGIN%/services/collector/raw?index=%INDEX%&host=web-1' \\
  -H 'Authorization: Splunk %TOKEN%' -d 'a line of text'`,
    },
    {
      title: 'syslog-ng 4.2 or newer',
      language: 'syslog-ng',
      needs: 'compat',
      text: `destination d_logboom {
  splunk-hec-event(
    url("%ORIGIN%")
    token("%TOKEN%")
    default-index("%INDEX%")
    event("\${MSG}")
    fields("program=$PROGRAM severity=$LEVEL facility=$FACILITY")
    workers(1)
    batch-lines(1000)
    time-reopen(5)
    disk-buffer(reliable(yes) disk-buf-size(1073741824) dir("/var/lib/syslog-ng"))
  );
};
log { source(s_src); destination(d_logboom); flags(flow-control); };`,
    },
  ],
}

export const RSYSLOG: Shipper = {
  name: 'rsyslog',
  label: 'rsyslog',
  intro: 'Over HTTP every event is acknowledged and each sender has its token; syslog is simpler to set up.',
  snippets: [
    {
      title: 'Over HTTP',
      language: 'rsyslog',
      needs: 'compat',
      text: `module(load="omelasticsearch")
template(name="event" type="list" option.jsonf="on") {
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="program" name="programname" format="jsonf")
  property(outname="severity" name="syslogseverity-text" format="jsonf")
  property(outname="facility" name="syslogfacility-text" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}
action(type="omelasticsearch"
       server="%HOST%" serverport="%PORT%" usehttps="%TLS%"
       uid="rsyslog" pwd="%TOKEN%"
       searchIndex="%INDEX%" searchType="" template="event"
       bulkmode="on" errorFile="/var/log/rsyslog-refused.json"
       queue.type="LinkedList" queue.filename="logboom" queue.saveOnShutdown="on"
       queue.size="100000" queue.maxDiskSpace="1g" queue.dequeueBatchSize="1000"
       action.resumeRetryCount="-1" action.resumeInterval="5")`,
      hint: 'Releases before 8.2510 write to errorFile what is sent while the service is too busy.',
    },
    {
      title: 'As syslog',
      language: 'rsyslog',
      needs: 'syslog',
      text: `# /etc/rsyslog.d/60-logboom.conf
action(type="omfwd" target="%HOST%" port="%TCP_PORT%" protocol="tcp"
       TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"
       queue.type="LinkedList" queue.filename="logboom" queue.saveOnShutdown="on"
       action.resumeRetryCount="-1" action.resumeInterval="5")`,
    },
  ],
}

export const JOURNAL: Shipper = {
  name: 'journal',
  label: 'systemd journal',
  intro: 'systemd-journal-upload sends the journal of a machine, and continues where it was after a restart.',
  snippets: [
    {
      title: 'systemd-journal-upload',
      language: 'systemd',
      needs: 'compat',
      text: `# /etc/systemd/journal-upload.conf
[Upload]
URL=%SCHEME%://any:%TOKEN%@%HOST%:%PORT%/api/journal/%INDEX%`,
      hint: 'The user name does not matter. Then systemctl enable --now systemd-journal-upload.',
    },
  ],
}

export const SYSLOG: Shipper = {
  name: 'syslog',
  label: 'Syslog',
  intro:
    'RFC 5424, RFC 3164 and what devices make of them. Routers, switches and firewalls need only the address and the UDP port, %UDP_PORT%.',
  snippets: [
    {
      title: 'logger',
      language: 'Shell',
      needs: 'syslog',
      text: `logger -n %HOST% -P %TCP_PORT% -T --octet-count -t backup -p local0.err 'the disk is almost full'`,
      hint: '-T is TCP; with -d and the UDP port it is a datagram.',
    },
    {
      title: 'syslog-ng',
      language: 'syslog-ng',
      needs: 'syslog',
      text: `# /etc/syslog-ng/conf.d/logboom.conf
destination d_logboom {
  syslog("%HOST%" port(%TCP_PORT%) transport("tcp") time-reopen(5)
    disk-buffer(reliable(yes) disk-buf-size(1073741824) dir("/var/lib/syslog-ng")));
};
log { source(s_src); destination(d_logboom); flags(flow-control); };`,
    },
  ],
}

export const DOCKER: Shipper = {
  name: 'docker',
  label: 'Docker',
  intro: 'The splunk and syslog drivers are built into Docker.',
  snippets: [
    {
      title: 'All containers: /etc/docker/daemon.json',
      language: 'JSON',
      needs: 'compat',
      text: `{
  "log-driver": "splunk",
  "log-opts": {
    "splunk-url": "%ORIGIN%",
    "splunk-token": "%TOKEN%",
    "splunk-index": "%INDEX%",
    "splunk-format": "json",
    "splunk-gzip": "true",
    "splunk-verify-connection": "false",
    "tag": "${DOCKER_TAG}"
  }
}`,
      hint: 'Each line is stored in the field line; JSON lines become line.… fields. Applies to containers created after Docker is restarted.',
    },
    {
      title: 'One container, as syslog',
      language: 'Shell',
      needs: 'syslog',
      text: `docker run --log-driver syslog --log-opt syslog-address=tcp://%HOST%:%TCP_PORT% \\
  --log-opt syslog-format=rfc5424micro --log-opt tag='${DOCKER_TAG}' nginx`,
    },
  ],
}
