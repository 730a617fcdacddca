/** The configuration to paste into a shipper. `%NAME%` are placeholders, see target.ts. */
import type { Need } from '../target'

export interface Snippet {
  title: string
  language: string
  needs: Need
  text: string
  hint?: string
}

export interface Shipper {
  /** Its name in the address. */
  name: string
  label: string
  intro: string
  snippets: Snippet[]
  /** A page that does the same without an agent. */
  page?: { label: string; path: string }
}
