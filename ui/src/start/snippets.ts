/** All shippers, in the order of the page. */
import {
  ALLOY,
  BEATS,
  FLUENTD,
  FLUENT_BIT,
  LOGSTASH,
  OPENTELEMETRY,
  PROMTAIL,
  VECTOR,
} from './shippers/agents'
import { COLLECTOR, DOCKER, JOURNAL, RSYSLOG, SYSLOG } from './shippers/machines'
import { CURL, IMPORT, NODE, PYTHON } from './shippers/programs'
import type { Shipper } from './shippers/shipper'

export const SHIPPERS: Shipper[] = [
  CURL,
  IMPORT,
  OPENTELEMETRY,
  FLUENT_BIT,
  VECTOR,
  BEATS,
  LOGSTASH,
  FLUENTD,
  ALLOY,
  PROMTAIL,
  COLLECTOR,
  DOCKER,
  RSYSLOG,
  SYSLOG,
  JOURNAL,
  PYTHON,
  NODE,
]

export function findShipper(name: string): Shipper {
  return SHIPPERS.find((each) => each.name === name) ?? CURL
}
