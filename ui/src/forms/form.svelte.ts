/** The state of a form: its values, its errors, and whether it is being submitted. */
import { ApiError, describe } from '../api/client'
import { isOvertaken } from '../api/tagged'

type Members = Record<string, unknown>

interface Options {
  /** The prefix that the API adds to the names of fields, such as `syslog`. */
  prefix?: string
  /** Fields that cannot be changed here, and the environment variable that fixes each. */
  locks?: Record<string, string>
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The longest prefix of a dotted name that is one of the values; empty for none. */
export function findField(values: object, name: string): string {
  const found: string[] = []
  let place: unknown = values
  for (const part of name.split('.')) {
    if (!isMembers(place) || !Object.hasOwn(place, part)) break
    place = place[part]
    found.push(part)
  }
  // A group of fields has no place to show an error.
  return isMembers(place) ? '' : found.join('.')
}

export class Form<V extends object> {
  values: V
  /** By the dotted names of the fields. */
  errors = $state.raw<Record<string, string>>({})
  /** An error that is not about a single field. */
  failure = $state('')
  /** Whether somebody else has changed it meanwhile. */
  isOvertaken = $state(false)
  isBusy = $state(false)
  readonly locks: Record<string, string>
  private readonly prefix: string

  constructor(values: V, { prefix = '', locks = {} }: Options = {}) {
    this.values = $state(values)
    this.prefix = prefix && `${prefix}.`
    this.locks = locks
  }

  read(name: string): unknown {
    return name.split('.').reduce<unknown>((place, part) => (place as Members)[part], this.values)
  }

  /** The error of the previous value is cleared. */
  write(name: string, value: unknown): void {
    const parts = name.split('.')
    const last = parts.pop() as string
    const place = parts.reduce<unknown>((each, part) => (each as Members)[part], this.values)
    ;(place as Members)[last] = value
    if (this.errors[name]) {
      this.errors = Object.fromEntries(Object.entries(this.errors).filter(([each]) => each !== name))
    }
  }

  /** Validate the inputs, then send; errors are shown at their fields. Returns whether it succeeded. */
  async submit(event: SubmitEvent, send: () => Promise<unknown>): Promise<boolean> {
    event.preventDefault()
    const element = event.currentTarget as HTMLFormElement
    if (this.isBusy) return false
    this.clear()
    this.errors = findInvalid(element)
    if (!Object.keys(this.errors).length) {
      this.isBusy = true
      try {
        await send()
        return true
      } catch (error) {
        this.take(error)
      } finally {
        this.isBusy = false
      }
    }
    // Inputs are disabled while the form is busy, and cannot be focused before the next render.
    setTimeout(() => focusFirst(element, this.errors))
    return false
  }

  /** Show an error at its field, or as a general error. */
  take(error: unknown): void {
    const named = error instanceof ApiError ? (error.data.field ?? '') : ''
    const inside = named.startsWith(this.prefix) ? named.slice(this.prefix.length) : ''
    const field = findField(this.values, inside)
    this.isOvertaken = isOvertaken(error)
    if (field) this.errors = { [field]: describe(error) }
    else if (!this.isOvertaken) this.failure = describe(error)
  }

  clear(): void {
    this.errors = {}
    this.failure = ''
    this.isOvertaken = false
  }
}

/** The validation errors of the browser, by the names of the inputs. */
function findInvalid(form: HTMLFormElement): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const input of form.elements) {
    if (!(input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement)) continue
    if (input.name && !input.validity.valid) errors[input.name] = input.validationMessage
  }
  return errors
}

function focusFirst(form: HTMLFormElement, errors: Record<string, string>): void {
  for (const input of form.elements) {
    const name = input.getAttribute('name')
    if (name && errors[name] && input instanceof HTMLElement) return input.focus()
  }
}
