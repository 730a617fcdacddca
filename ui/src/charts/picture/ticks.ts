/** The labels at the ticks of a time axis. */
import { toClock } from '../../time/zones'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_SECONDS = 86_400

const twoDigits = (number: number) => String(number).padStart(2, '0')

function writeDate(clock: Date, step: number): string {
  const month = MONTHS[clock.getUTCMonth()] ?? ''
  if (step >= 365 * DAY_SECONDS) return String(clock.getUTCFullYear())
  return step >= 28 * DAY_SECONDS ? `${month} ${clock.getUTCFullYear()}` : `${month} ${clock.getUTCDate()}`
}

function writeTimeOfDay(clock: Date, step: number): string {
  const minutes = `${twoDigits(clock.getUTCHours())}:${twoDigits(clock.getUTCMinutes())}`
  if (step >= 60) return minutes
  const seconds = `${minutes}:${twoDigits(clock.getUTCSeconds())}`
  return step >= 1 ? seconds : `${seconds}.${String(clock.getUTCMilliseconds()).padStart(3, '0')}`
}

/** The label of a moment in seconds, where ticks are `step` seconds apart; midnight shows the date. */
export function writeTick(seconds: number, step: number, zone: string): string {
  const clock = new Date(toClock(Math.round(seconds * 1000), zone))
  const isMidnight = clock.getTime() % (DAY_SECONDS * 1000) === 0
  return step >= DAY_SECONDS || isMidnight ? writeDate(clock, step) : writeTimeOfDay(clock, step)
}
