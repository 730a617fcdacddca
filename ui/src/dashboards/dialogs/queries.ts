/** Checks whether a query of a dashboard is valid. */
import { ApiError } from '../../api/client'
import type { Variable } from '../../api/dashboards'
import { parseQuery } from '../../api/search'

/** Validate a query on the server, with a value in place of each variable; errors are reported for `field`. */
export async function checkQuery(query: string, variables: Variable[], field: string): Promise<void> {
  const written = variables.reduce(
    (text, { name }) => text.replaceAll(new RegExp(`(?<!["\\w])\\$${name}(?!\\w)`, 'g'), '"x"'),
    query,
  )
  try {
    await parseQuery(written, 'default', new AbortController().signal)
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError(error.status, error.code, error.message, { field })
    throw error
  }
}
