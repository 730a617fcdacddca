/** Sections of the settings, as forms need them. */
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

/** The members of a section that take effect only after a restart. */
export function findDelayed(settings: Settings, section: SectionName): string[] {
  const prefix = `${section}.`
  return settings.needs_restart
    .filter((setting) => setting.startsWith(prefix))
    .map((setting) => setting.slice(prefix.length))
}
