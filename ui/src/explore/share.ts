/** Links that show others the same: relative times are made absolute. */
import { createLink } from '../api/links'
import { copy } from '../parts/copy'
import { writePlace } from '../shell/address.svelte'
import type { Explore } from './explore.svelte'
import { EXPLORE, writeView, type View } from './view'

export function fixTimes(explore: Explore): View {
  const { view } = explore
  const scope = explore.scope ?? explore.makeScope(view)
  return { ...view, from: scope.from ?? '', to: scope.to ?? '', isLive: false }
}

/** Copies a short link to the view, or the full address if no short link can be made. */
export async function share(explore: Explore): Promise<void> {
  const place = writePlace(EXPLORE, writeView(fixTimes(explore)))
  const short = await shorten(place)
  const what =
    short === null ? 'Link copied, with a fixed time range' : 'Short link copied, with a fixed time range'
  await copy(location.origin + location.pathname + (short ?? place), what)
}

async function shorten(place: string): Promise<string | null> {
  try {
    const { id } = await createLink(place.slice(1))
    return writePlace(`/s/${id}`)
  } catch {
    return null
  }
}
