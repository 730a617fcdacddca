/** Settings that an environment variable fixes. */

/** The hint of a field, which names the variable that fixes it. */
export function explainLock(hint: string, variable: string | undefined): string {
  if (!variable) return hint
  return `${hint && `${hint} `}Fixed by the environment variable ${variable}.`
}
