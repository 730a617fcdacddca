/** The addresses of dashboards. */
import { writePlace } from '../shell/address.svelte'

export const DASHBOARDS = '/dashboards'

export const pathOf = (id: string) => `${DASHBOARDS}/${encodeURIComponent(id)}`

export const toDashboard = (id: string) => writePlace(pathOf(id))
