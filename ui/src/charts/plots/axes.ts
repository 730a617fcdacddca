/** The axes that all charts share, in the colours of the current theme. */
import uPlot from 'uplot'
import { readColour } from '../../parts/colours'
import { formatShort } from '../../parts/numbers'
import { nameZone } from '../../time/zones'
import { writeTick } from '../picture/ticks'

const FONT = '11px system-ui, sans-serif'
const GRID_WIDTH = 1

function makeAxis(): uPlot.Axis {
  const line = readColour('--line')
  return {
    font: FONT,
    stroke: readColour('--ink-faint'),
    grid: { stroke: line, width: GRID_WIDTH },
    ticks: { stroke: line, width: GRID_WIDTH, size: 4 },
  }
}

export function makeTimeAxis(zone: string): uPlot.Axis {
  return {
    ...makeAxis(),
    size: 22,
    gap: 2,
    space: 64,
    grid: { show: false },
    values: (_plot, splits, _axis, _space, step) => splits.map((each) => writeTick(each, step, zone)),
  }
}

const CHARACTER_PX = 6.5
const LEAST_SIZE_PX = 44

/** As wide as its longest label. */
export function makeNumberAxis(write: (value: number) => string = formatShort): uPlot.Axis {
  return {
    ...makeAxis(),
    size: (_plot, values) =>
      Math.max(LEAST_SIZE_PX, 12 + CHARACTER_PX * Math.max(0, ...(values ?? []).map((each) => each.length))),
    gap: 4,
    space: 40,
    values: (_plot, splits) => splits.map((each) => write(each)),
  }
}

/** For a low chart, without labels for halves of an event. */
export function makeCountAxis(): uPlot.Axis {
  const write = (each: number) => (Number.isInteger(each) ? formatShort(each) : '')
  return { ...makeNumberAxis(), space: 28, values: (_plot, splits) => splits.map(write) }
}

/** Days begin at midnight of the zone. */
export function makeClock(zone: string): (seconds: number) => Date {
  const name = nameZone(zone)
  return (seconds) => uPlot.tzDate(new Date(seconds * 1000), name)
}
