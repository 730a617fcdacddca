/** Sizes as typed, in gigabytes. */

const GIGABYTE = 1_000_000_000

/** An empty size is null. */
export function toGigabytes(bytes: number | null): number | null {
  return bytes === null ? null : bytes / GIGABYTE
}

export function toBytes(gigabytes: number | null): number | null {
  return gigabytes === null ? null : Math.round(gigabytes * GIGABYTE)
}
