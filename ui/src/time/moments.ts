/**
 * Points in time as people write them: `yesterday`, `Sep 1 10:00`, `2026-11-14`, `9am`, an epoch number.
 *
 * Each text names a span: a day, a minute, a second. Dates and times of day are interpreted in a zone.
 */
import { fromClock, toClock } from './zones'

export interface Place {
  now: number
  zone: string
  /** The day, as returned by `toClock`, for a time of day without a date. */
  day: number
}

/** The ends are moments; `isLong` means whole days, so that the last one is included. */
export interface Span {
  start: number
  end: number
  isLong: boolean
  /** The day it begins on, as returned by `toClock`. */
  day: number
  /** Whether the day was not given, but taken from `Place`. */
  isDayAssumed: boolean
}

const SECOND_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const WEEKDAY =
  /^(?:last |on )?(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?)$/
const MONTH_FIRST = new RegExp(`^${MONTH} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?$`)
const DAY_FIRST = new RegExp(`^(\\d{1,2})(?:st|nd|rd|th|\\.)? ${MONTH}(?:,? (\\d{4}))?$`)
const WHOLE_MONTH = new RegExp(`^${MONTH}(?: (\\d{4}))?$`)
const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(am|pm)?$/
const HOUR = /^(\d{1,2}) ?(am|pm)$/
const DATE_THEN_CLOCK =
  /^(.+?)(?:t(?=\d\d:)|,? (?:at )?)(\d{1,2}(?::\d\d.*|(?::\d\d)? ?[ap]m)|noon|midnight)$/
const CLOCK_THEN_DATE = /^(\d{1,2}(?::\d\d(?::\d\d)?)? ?(?:[ap]m)?|noon|midnight),? (?:on )?(.+)$/
const ZONED =
  /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?(?: ?(?:z|utc|gmt)|\+\d\d:?\d\d|(?<=t.*)-\d\d:?\d\d)$/
const EPOCH = /^\d{9,19}(?:\.\d+)?$/

interface Days {
  start: number
  end: number
}

/** `text` is in lower case, with single blanks; null if it is not a point in time. */
export function readMoment(text: string, place: Place): Span | null {
  return readFixed(text) ?? readDays(text, place) ?? readClockOf(text, place) ?? readBoth(text, place)
}

function fixed(start: number, length: number): Span | null {
  if (Number.isNaN(start)) return null
  return { start, end: start + length, isLong: false, day: floorToDay(start), isDayAssumed: false }
}

/** Texts that mean the same in every zone. */
function readFixed(text: string): Span | null {
  if (EPOCH.test(text)) {
    // Seconds have ten digits for centuries to come; more digits are milli-, micro- or nanoseconds.
    const digits = text.replace(/\..*/, '').length
    const scale = 10 ** (3 * Math.max(0, Math.ceil((digits - 11) / 3)))
    return fixed(Math.floor((Number(text) / scale) * 1000), SECOND_MS)
  }
  const zoned = ZONED.exec(text)
  if (!zoned) return null
  const seconds = zoned[3]?.replace(',', '.') ?? ''
  const rest = text.slice(16 + (zoned[3]?.length ?? 0)).trim()
  const offset = /^[-+]/.test(rest) ? rest.replace(/^(...):?/, '$1:') : 'Z'
  return fixed(Date.parse(`${zoned[1]}T${zoned[2]}${seconds}${offset}`), seconds ? SECOND_MS : MINUTE_MS)
}

function readDays(text: string, place: Place): Span | null {
  const days = findDays(text, floorToDay(toClock(place.now, place.zone)))
  if (!days || Number.isNaN(days.start)) return null
  const { zone } = place
  return {
    start: fromClock(days.start, zone),
    end: fromClock(days.end, zone),
    isLong: true,
    day: days.start,
    isDayAssumed: false,
  }
}

function readClockOf(text: string, place: Place): Span | null {
  const clock = readClock(text)
  if (!clock) return null
  const start = fromClock(place.day + clock.start, place.zone)
  return { start, end: start + clock.length, isLong: false, day: place.day, isDayAssumed: true }
}

function readBoth(text: string, place: Place): Span | null {
  const [, date = '', clock = ''] = DATE_THEN_CLOCK.exec(text) ?? swap(CLOCK_THEN_DATE.exec(text))
  const days = readDays(date, place)
  const span = days && readClockOf(clock, { ...place, day: days.day })
  return span && { ...span, isDayAssumed: false }
}

function swap(match: RegExpExecArray | null): [string, string | undefined, string | undefined] | [] {
  return match ? [match[0], match[2], match[1]] : []
}

/** Days, months and years, in terms of `toClock`. */
function findDays(text: string, today: number): Days | null {
  if (text === 'today') return { start: today, end: today + DAY_MS }
  if (text === 'yesterday') return { start: today - DAY_MS, end: today }
  const weekday = WEEKDAY.exec(text)
  if (weekday) {
    const wanted = WEEKDAYS.indexOf(weekday[1]?.slice(0, 3) ?? '')
    const back = (new Date(today).getUTCDay() - wanted + 7) % 7 || (text.startsWith('last') ? 7 : 0)
    return { start: today - back * DAY_MS, end: today - (back - 1) * DAY_MS }
  }
  return findNumbered(text) ?? findNamed(text, today)
}

/** `2026-11-14`, `2026/11/14`, `14.11.2026`, `2026-11`, `2026`. */
function findNumbered(text: string): Days | null {
  const day = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})$/.exec(text)
  if (day) return makeDay(Number(day[1]), Number(day[3]) - 1, Number(day[4]))
  const european = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text)
  if (european) return makeDay(Number(european[3]), Number(european[2]) - 1, Number(european[1]))
  const month = /^(\d{4})-(\d\d)$/.exec(text)
  if (month) return makeMonth(Number(month[1]), Number(month[2]) - 1)
  const year = /^(?:19|20)\d\d$/.exec(text)
  return year ? { start: Date.UTC(Number(text), 0), end: Date.UTC(Number(text) + 1, 0) } : null
}

/** `Sep 1`, `1 Sep 2026`, `September`: without a year the latest one that has begun. */
function findNamed(text: string, today: number): Days | null {
  const day = MONTH_FIRST.exec(text)
  if (day) return findRecent(day[1], Number(day[2]), day[3], today)
  const reversed = DAY_FIRST.exec(text)
  if (reversed) return findRecent(reversed[2], Number(reversed[1]), reversed[3], today)
  const month = WHOLE_MONTH.exec(text)
  return month ? findRecent(month[1], null, month[2], today) : null
}

function findRecent(name = '', day: number | null, year: string | undefined, today: number): Days | null {
  const month = MONTHS.indexOf(name.slice(0, 3))
  const make = (each: number) => (day === null ? makeMonth(each, month) : makeDay(each, month, day))
  if (year) return make(Number(year))
  const thisYear = new Date(today).getUTCFullYear()
  // The last February 29 may be eight years ago.
  for (let each = thisYear; each > thisYear - 9; each -= 1) {
    const days = make(each)
    if (days && days.start <= today) return days
  }
  return null
}

function makeDay(year: number, month: number, day: number): Days | null {
  const start = Date.UTC(year, month, day)
  const date = new Date(start)
  return date.getUTCMonth() === month && date.getUTCDate() === day ? { start, end: start + DAY_MS } : null
}

function makeMonth(year: number, month: number): Days | null {
  return month < 0 || month > 11 ? null : { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}

interface Clock {
  start: number
  length: number
}

/** Milliseconds since midnight, and the length of the span that is named. */
function readClock(text: string): Clock | null {
  if (text === 'noon') return { start: 12 * HOUR_MS, length: MINUTE_MS }
  if (text === 'midnight') return { start: 0, length: MINUTE_MS }
  const full = CLOCK.exec(text)
  if (full) return readFullClock(full)
  const [, hour, half] = HOUR.exec(text) ?? []
  const hours = readHour(Number(hour), half)
  return hour && hours !== null ? { start: hours * HOUR_MS, length: HOUR_MS } : null
}

function readFullClock([, hour, minute, second, fraction, half]: RegExpExecArray): Clock | null {
  const hours = readHour(Number(hour), half)
  const [minutes, seconds] = [Number(minute), Number(second ?? 0)]
  if (hours === null || minutes > 59 || seconds > 59) return null
  const milliseconds = Math.floor(Number(`0.${fraction ?? 0}`) * SECOND_MS)
  const start = hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS + milliseconds
  return start > DAY_MS ? null : { start, length: second === undefined ? MINUTE_MS : SECOND_MS }
}

/** 24:00 is the end of a day. */
function readHour(hour: number, half: string | undefined): number | null {
  if (!half) return hour <= 24 ? hour : null
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (half === 'pm' ? 12 : 0)
}

function floorToDay(clock: number): number {
  return Math.floor(clock / DAY_MS) * DAY_MS
}
