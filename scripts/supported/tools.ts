/** The programs that are installed for the checks, into a folder of their own: runtimes, compilers, esbuild and pnpm. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StrangerProject } from '../stranger-project.ts'

interface Tool {
  /** The package and its version. */
  readonly target: string
  /** The file to run, in the folder of the package. */
  readonly file: string
  /** The platforms that npm has it for; absent where it runs on Node. */
  readonly platforms?: readonly string[]
}

const common = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64']
const exe = process.platform === 'win32' ? '.exe' : ''
const node = { file: `bin/node${exe}`, platforms: common }
const compiler = { file: 'bin/tsc' }

/** By the names under which they are installed. */
export const tools = {
  'node-lowest': { target: 'node@22.13.0', ...node },
  'node-newest': { target: 'node@latest', ...node },
  'node-20': { target: 'node@20', ...node },
  'node-18': { target: 'node@18', ...node },
  bun: {
    target: 'bun@1.4',
    file: 'bin/bun.exe',
    platforms: [...common, 'linux-x64-musl', 'linux-arm64-musl'],
  },
  deno: { target: 'deno@2.9', file: `deno${exe}`, platforms: [...common, 'win32-arm64'] },
  esbuild: { target: 'esbuild@0.28', file: 'bin/esbuild', platforms: [...common, 'linux-x64-musl'] },
  pnpm: { target: 'pnpm@12', file: 'pnpm', platforms: [...common, 'linux-x64-musl', 'linux-arm64-musl'] },
  workerd: {
    target: 'workerd@1',
    file: 'bin/workerd',
    platforms: ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'],
  },
  'typescript-lowest': { target: 'typescript@5.0', ...compiler },
  'typescript-5.4': { target: 'typescript@5.4', ...compiler },
} as const satisfies Readonly<Record<string, Tool>>

export type ToolName = keyof typeof tools

/** Installs all tools below the folder of the project. */
export function installTools(project: StrangerProject): Installed {
  const folder = join(project.directory, 'tools')
  mkdirSync(folder)
  const allowScripts = { node: true, bun: true, deno: true, esbuild: true, pnpm: true, workerd: true }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }))
  const wanted = Object.entries(tools).map(([name, { target }]) => `${name}@npm:${target}`)
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  project.run('npm', ['install', ...quietly, ...wanted], folder)
  return new Installed(join(folder, 'node_modules'))
}

export class Installed {
  readonly #modules: string
  /** The tools that npm does not have for this platform. */
  readonly missing: ToolName[] = []

  constructor(modules: string) {
    this.#modules = modules
  }

  /** The file of a tool; `undefined` where npm has none for this platform. Throws where there should be one. */
  fileOf(name: ToolName): string | undefined {
    const { file, platforms }: Tool = tools[name]
    const path = join(this.#modules, name, file)
    if (platforms === undefined || spawnSync(path, ['--version']).status === 0) return path
    if (platforms.includes(platform()))
      throw new Error(`${name} does not run, though npm has it for ${platform()}.`)
    this.missing.push(name)
    return undefined
  }
}

function platform(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  const isMusl = process.platform === 'linux' && header.glibcVersionRuntime === undefined
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`
}
