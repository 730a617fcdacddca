/** Certificates as pasted: any number, one after the other. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

export function joinCertificates(certificates: string[]): string {
  return certificates.map((each) => `${each.trim()}\n`).join('')
}

/** Text around them is kept as one more certificate, so that the server refuses it. */
export function splitCertificates(text: string): string[] {
  const rest = text.replace(CERTIFICATE, '').trim()
  const found = [...text.matchAll(CERTIFICATE)].map(([each]) => `${each}\n`)
  return rest ? [...found, rest] : found
}
