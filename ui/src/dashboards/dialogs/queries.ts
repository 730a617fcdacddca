/** Whether a query of a dashboard can be read. */
import { ApiError } from '../../api/client'
import type { Variable } from '../../api/dashboards'
import { parseQuery } from '../../api/search'

/** Ask the server about a query, with a value in place of each variable; what is wrong is told of `field`. */
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
