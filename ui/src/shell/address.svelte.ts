/**
 * The address of the page: the part after `#`, as a path and parameters.
 *
 * It contains everything that a user may want to share or return to. It is after the `#`, so that
 * searches do not appear in the logs of servers and proxies.
 */

export interface Place {
  path: string
  parameters: URLSearchParams
}

/** The inverse of `writePlace`, with or without the `#`. */
export function parsePlace(text: string): Place {
  const [path, parameters] = text.replace(/^#/, '').split(/\?(.*)/s)
  return { path: path || '/', parameters: new URLSearchParams(parameters ?? '') }
}

const read = () => parsePlace(location.hash)

export function writePlace(path: string, parameters: URLSearchParams = new URLSearchParams()): string {
  const text = parameters.toString()
  return text ? `#${path}?${text}` : `#${path}`
}

class Address {
  place = $state.raw(read())

  constructor() {
    const update = () => (this.place = read())
    addEventListener('popstate', update)
    addEventListener('hashchange', update)
  }

  get path(): string {
    return this.place.path
  }

  get parameters(): URLSearchParams {
    return this.place.parameters
  }

  /** Navigate; with `replace` the browser's back button does not return to the previous address. */
  go(path: string, parameters = new URLSearchParams(), { replace = false } = {}): void {
    const target = writePlace(path, parameters)
    if (target === location.hash) return
    if (replace) history.replaceState(null, '', target)
    else history.pushState(null, '', target)
    this.place = read()
  }
}

export const address = new Address()
