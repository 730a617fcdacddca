/** Agents that collect and forward logs. */
import type { Shipper } from './shipper'

export const OPENTELEMETRY: Shipper = {
  name: 'opentelemetry',
  label: 'OpenTelemetry',
  intro: 'OTLP over HTTP keeps every field, and reports exactly which events were rejected.',
  snippets: [
    {
      title: 'Collector',
      language: 'YAML',
      needs: 'compat',
      text: `extensions:
  file_storage:
    directory: /var/lib/otelcol
    create_directory: true
receivers:
  filelog:
    include: ["/var/log/app/*.log"]
    start_at: beginning
    storage: file_storage
exporters:
  otlp_http:
    endpoint: %ORIGIN%
    headers:
      Authorization: Bearer %TOKEN%
      X-Service-Index: %INDEX%
    retry_on_failure:
      max_elapsed_time: 0
    sending_queue:
      storage: file_storage
      block_on_overflow: true
service:
  extensions: [file_storage]
  pipelines:
    logs:
      receivers: [filelog]
      exporters: [otlp_http]`,
      hint: 'For otelcol-contrib. Collectors before 0.144 call the exporter otlphttp.',
    },
    {
      title: 'Any SDK',
      language: 'Shell',
      needs: 'compat',
      text: `export OTEL_LOGS_EXPORTER=otlp
export OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=%ORIGIN%/v1/logs
export OTEL_EXPORTER_OTLP_LOGS_HEADERS="Authorization=Bearer%20%TOKEN%,X-Service-Index=%INDEX%"`,
    },
  ],
}

export const FLUENT_BIT: Shipper = {
  name: 'fluent-bit',
  label: 'Fluent Bit',
  intro: 'Uses OTLP. Its outputs http, es, opensearch, loki and splunk work as well.',
  snippets: [
    {
      title: 'Output opentelemetry',
      language: 'YAML',
      needs: 'compat',
      text: `service:
  storage.path: /var/lib/fluent-bit
  scheduler.cap: 30
pipeline:
  inputs:
    - name: tail
      path: /var/log/app/*.log
      db: /var/lib/fluent-bit/app.db
      read_from_head: true
      storage.type: filesystem
  outputs:
    - name: opentelemetry
      match: "*"
      host: %HOST%
      port: %PORT%
      tls: %TLS%
      logs_uri: /v1/logs
      logs_body_key: $log
      logs_body_key_attributes: true
      header:
        - Authorization Bearer %TOKEN%
        - X-Service-Index %INDEX%
      retry_limit: no_limits`,
      hint: 'Without retry_limit a chunk is tried twice and then dropped. storage.path keeps unsent events across restarts.',
    },
  ],
}

export const FLUENTD: Shipper = {
  name: 'fluentd',
  label: 'Fluentd',
  intro: 'Uses the bulk protocol, with fluent-plugin-elasticsearch.',
  snippets: [
    {
      title: 'Source and match',
      language: 'Fluentd',
      needs: 'compat',
      text: `<source>
  @type tail
  path /var/log/app/*.log
  pos_file /var/lib/fluentd/app.pos
  tag app
  read_from_head true
  <parse>
    @type none
  </parse>
</source>
<match app>
  @type elasticsearch
  host %HOST%
  port %PORT%
  scheme %SCHEME%
  user fluentd
  password %TOKEN%
  index_name %INDEX%
  include_timestamp true
  suppress_type_name true
  reload_connections false
  <buffer>
    @type file
    path /var/lib/fluentd/logboom
    flush_interval 5s
    retry_forever true
    retry_max_interval 30s
  </buffer>
</match>`,
    },
  ],
}

export const VECTOR: Shipper = {
  name: 'vector',
  label: 'Vector',
  intro: 'Uses the bulk protocol. Its sinks loki and splunk_hec_logs work as well.',
  snippets: [
    {
      title: 'Source and sink',
      language: 'YAML',
      needs: 'compat',
      text: `sources:
  app:
    type: file
    include: ["/var/log/app/*.log"]
sinks:
  logboom:
    type: elasticsearch
    inputs: [app]
    endpoints: ["%ORIGIN%"]
    api_version: v8
    compression: gzip
    bulk:
      action: create
      index: %INDEX%
    auth:
      strategy: basic
      user: vector
      password: %TOKEN%
    acknowledgements:
      enabled: true
    distribution:
      retry_max_delay_secs: 30`,
    },
  ],
}

export const BEATS: Shipper = {
  name: 'filebeat',
  label: 'Filebeat, Beats',
  intro: 'Uses the bulk protocol, from version 7.13 on. The output is the same for every Beat.',
  snippets: [
    {
      title: 'filebeat.yml',
      language: 'YAML',
      needs: 'compat',
      text: `filebeat.inputs:
  - type: filestream
    id: app
    paths: ["/var/log/app/*.log"]

output.elasticsearch:
  hosts: ["%SCHEME%://%HOST%:%PORT%"]
  index: "%INDEX%"
  api_key: "logboom:%TOKEN%"

setup.template.enabled: false
setup.ilm.enabled: false`,
    },
  ],
}

export const LOGSTASH: Shipper = {
  name: 'logstash',
  label: 'Logstash',
  intro: 'Uses the bulk protocol.',
  snippets: [
    {
      title: 'Input and output',
      language: 'Logstash',
      needs: 'compat',
      text: `input {
  file {
    path => "/var/log/app/*.log"
    start_position => "beginning"
  }
}
output {
  elasticsearch {
    hosts => ["%SCHEME%://%HOST%:%PORT%"]
    index => "%INDEX%"
    user => "logstash"
    password => "%TOKEN%"
    data_stream => false
    manage_template => false
    ilm_enabled => false
  }
}`,
    },
  ],
}

export const PROMTAIL: Shipper = {
  name: 'promtail',
  label: 'Promtail',
  intro: 'Uses the push protocol, in protobuf.',
  snippets: [
    {
      title: 'promtail.yaml',
      language: 'YAML',
      needs: 'protobuf',
      text: `server:
  disable: true
positions:
  filename: /var/lib/promtail/positions.yaml
clients:
  - url: %ORIGIN%/loki/api/v1/push?index=%INDEX%
    bearer_token: %TOKEN%
    backoff_config:
      max_period: 30s
      max_retries: 0
scrape_configs:
  - job_name: app
    static_configs:
      - targets: [localhost]
        labels:
          job: app
          __path__: /var/log/app/*.log`,
    },
  ],
}

export const ALLOY: Shipper = {
  name: 'alloy',
  label: 'Grafana Alloy',
  intro: 'Uses OTLP, or the push protocol in protobuf.',
  snippets: [
    {
      title: 'OTLP',
      language: 'Alloy',
      needs: 'compat',
      text: `local.file_match "app" {
  path_targets = [{"__path__" = "/var/log/app/*.log"}]
}

loki.source.file "app" {
  targets    = local.file_match.app.targets
  forward_to = [otelcol.receiver.loki.app.receiver]
}

otelcol.receiver.loki "app" {
  output {
    logs = [otelcol.exporter.otlphttp.logboom.input]
  }
}

otelcol.exporter.otlphttp "logboom" {
  client {
    endpoint = "%ORIGIN%"
    headers  = {
      "Authorization"   = "Bearer %TOKEN%",
      "X-Service-Index" = "%INDEX%",
    }
  }

  sending_queue {
    block_on_overflow = true
    batch {}
  }

  retry_on_failure {
    max_elapsed_time = "0s"
  }
}`,
    },
    {
      title: 'Push',
      language: 'Alloy',
      needs: 'protobuf',
      text: `local.file_match "app" {
  path_targets = [{"__path__" = "/var/log/app/*.log", "job" = "app"}]
}

loki.source.file "app" {
  targets    = local.file_match.app.targets
  forward_to = [loki.write.logboom.receiver]
}

loki.write "logboom" {
  endpoint {
    url          = "%ORIGIN%/loki/api/v1/push"
    bearer_token = "%TOKEN%"
    headers      = {"X-Service-Index" = "%INDEX%"}

    max_backoff_period  = "30s"
    max_backoff_retries = 0
  }
}`,
    },
  ],
}
