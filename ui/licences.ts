import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const LICENCE = /^(licen[cs]e|notice|copying)/i

type Manifest = { name: string; version: string; license: string }

/** The folder of the package that a module comes from; nothing for modules of our own. */
function findPackage(module: string): string | undefined {
  const path = module.replace(/^\0/, '').split('?')[0] ?? ''
  if (!path.includes('/node_modules/')) return undefined
  for (let folder = dirname(path); folder.includes('/node_modules/'); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return folder
  }
  return undefined
}

function describe(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const texts = readdirSync(folder)
    .filter((name) => LICENCE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
  if (texts.length === 0) throw new Error(`${manifest.name} is bundled and has no licence text`)
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${texts.join('\n\n')}\n`
}

/** Writes the licences of all packages that became part of the pages to `licences.txt`. */
export function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
      const folders = new Set(modules.map(findPackage).filter((folder) => folder !== undefined))
      const source = [...folders]
        .map(describe)
        .sort()
        .join(`\n${'-'.repeat(80)}\n\n`)
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source })
    },
  }
}
