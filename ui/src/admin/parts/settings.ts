/** Sections of the settings as forms see them. */
import type { SectionName, Settings } from '../../api/control'

/** The members of a section that an environment variable fixes, with its name. */
export function findLocks(settings: Settings, section: SectionName): Record<string, string> {
  const prefix = `${section}.`
  return Object.fromEntries(
    settings.overrides
      .filter(({ setting }) => setting.startsWith(prefix))
      .map(({ setting, variable }) => [setting.slice(prefix.length), variable]),
  )
}

/** The members of a section that count only after a restart. */
export function findDelayed(settings: Settings, section: SectionName): string[] {
  const prefix = `${section}.`
  return settings.needs_restart
    .filter((setting) => setting.startsWith(prefix))
    .map((setting) => setting.slice(prefix.length))
}

/** The members that are no longer what they were. */
export function findChanges<V extends object>(before: V, after: V): Partial<V> {
  const names = Object.keys(after) as (keyof V)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<V>
}
