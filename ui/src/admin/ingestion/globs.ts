/** Paths of the server's files, and globs made of them. */

const SPECIAL = /[*?[]/g

/** A glob that matches exactly this path, whatever characters it contains. */
export function escapeGlob(path: string): string {
  return path.replace(SPECIAL, (character) => `[${character}]`)
}

/** `name` may be absolute, as the roots of sources are if there are several. */
export function joinPath(directory: string, name: string): string {
  if (name.startsWith('/')) return name
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`
}

/** The files of a directory whose names match `glob`. */
export function globIn(directory: string, glob: string): string {
  return joinPath(escapeGlob(directory), glob)
}

/** A glob for a file and its rotated versions: `access.log*`. */
export function globRotated(path: string): string {
  return `${escapeGlob(path)}*`
}

/** The directory above; empty at the top. */
export function parentOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (!trimmed) return ''
  return trimmed.slice(0, trimmed.lastIndexOf('/')) || '/'
}

/** The directory before the first name with a wildcard. */
export function baseOf(glob: string): string {
  if (!glob.startsWith('/')) return ''
  const parts = glob.split('/')
  const wild = parts.findIndex((part) => part.search(SPECIAL) >= 0)
  // Without a wildcard the last name is that of a file.
  return parts.slice(0, wild < 0 ? -1 : wild).join('/') || '/'
}
