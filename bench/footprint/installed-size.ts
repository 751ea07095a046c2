/** The packages that an installation consists of, and the bytes of their files. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface InstalledPackage {
  readonly name: string
  readonly version: string
  readonly bytes: number
  readonly files: number
}

/** All packages of a `node_modules`, nested ones included, the largest first. */
export function installedPackages(nodeModules: string): InstalledPackage[] {
  return packageFolders(nodeModules)
    .map((folder) => ({ ...named(folder), ...sizeOf(folder) }))
    .toSorted((a, b) => b.bytes - a.bytes)
}

function packageFolders(nodeModules: string): string[] {
  if (!existsSync(nodeModules)) return []
  return foldersIn(nodeModules)
    .flatMap((folder) => (/\/@[^/]+$/.test(folder) ? foldersIn(folder) : [folder]))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .flatMap((folder) => [folder, ...packageFolders(join(folder, 'node_modules'))])
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => join(folder, entry.name))
}

function named(folder: string): { name: string; version: string } {
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  const { name, version } = JSON.parse(text) as { name: string; version: string }
  return { name, version }
}

/** Of the package's own files, without packages nested in it. */
function sizeOf(folder: string): { bytes: number; files: number } {
  let bytes = 0
  let files = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) {
      bytes += statSync(path).size
      files++
    } else if (entry.isDirectory() && entry.name !== 'node_modules') {
      const inner = sizeOf(path)
      bytes += inner.bytes
      files += inner.files
    }
  }
  return { bytes, files }
}
