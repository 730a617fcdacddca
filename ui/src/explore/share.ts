/** Addresses that show others the same: times that move with the clock are fixed. */
import { writePlace } from '../shell/address.svelte'
import type { Explore } from './explore.svelte'
import { EXPLORE, writeView, type View } from './view'

export function fixTimes(explore: Explore): View {
  const { view } = explore
  const scope = explore.scope ?? explore.makeScope(view)
  return { ...view, from: scope.from ?? '', to: scope.to ?? '', isLive: false }
}

export function writeFixedAddress(explore: Explore): string {
  return location.origin + location.pathname + writePlace(EXPLORE, writeView(fixTimes(explore)))
}
