/**
 * Apps that have a package of ours already, at a version of their own: the package installs beside it, or npm refuses it by the
 * name of what does not fit. npm resolves each app, and downloads nothing but what it must read.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strangersEnvironment, type StrangerProject } from '../stranger-project.ts'

/** Also versions that a subpath does not fit: an app that does not use the subpath is not refused. */
const beside: readonly Readonly<Record<string, string>>[] = [
  { react: '18.2.0', 'react-dom': '18.2.0' },
  { react: '19.3.1', 'react-dom': '19.3.1' },
  { pg: '8.11.0' },
  { pg: '8.16.3' },
  { n3: '1.26.0' },
  { '@ai-sdk/provider': '3.0.0' },
  { '@a2a-js/sdk': '0.3.4' },
  { '@restatedev/restate-sdk': '1.9.0' },
  { '@opentelemetry/api': '1.8.0' },
  { xstate: '5.33.0', '@xstate/react': '6.0.0', react: '19.3.1' },
  { zod: '4.2.0' },
]

/** An app on these would have two copies of what its agents and its machines must share. */
const refused: readonly Readonly<Record<string, string>>[] = [
  { xstate: '5.20.0' },
  { xstate: '4.38.3' },
  { zod: '3.25.76' },
]

/** Each app is made in a folder of the project. */
export function checkInstalls({ directory: folder, home, tarball }: StrangerProject): void {
  for (const pinned of beside) {
    const { status, text, copies } = resolveApp({ folder, home, tarball }, pinned)
    const name = shown(pinned)
    if (status !== 0) throw new Error(`The package does not install beside ${name}:\n${text}`)
    for (const single of ['xstate', 'zod'])
      if (copies(single) !== 1)
        throw new Error(`Beside ${name} there are ${copies(single)} copies of ${single}.`)
    console.log(`It installs beside ${name}.`)
  }
  for (const pinned of refused) {
    const { status, text } = resolveApp({ folder, home, tarball }, pinned)
    const [name = ''] = Object.keys(pinned)
    if (status === 0 || !text.includes('ERESOLVE') || !text.includes(name))
      throw new Error(`npm does not refuse the package beside ${shown(pinned)}:\n${text}`)
    console.log(`npm refuses it beside ${shown(pinned)}, by that name.`)
  }
}

interface Resolved {
  readonly status: number | null
  readonly text: string
  /** How many copies of a package the app has. */
  readonly copies: (name: string) => number
}

let made = 0

function resolveApp(
  { folder, home, tarball }: Readonly<Record<'folder' | 'home' | 'tarball', string>>,
  dependencies: Readonly<Record<string, string>>,
): Resolved {
  const app = join(folder, `app-${made++}`)
  mkdirSync(app)
  const all = { ...dependencies, troupe: `file:${tarball}`, zod: dependencies['zod'] ?? '^4.6.7' }
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, dependencies: all }))
  const { status, stdout, stderr } = spawnSync(
    'npm',
    [
      'install',
      '--package-lock-only',
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: app, encoding: 'utf8', env: strangersEnvironment(home) },
  )
  const copies = (name: string): number => {
    const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, unknown>>
    }
    return Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`)).length
  }
  return { status, text: stdout + stderr, copies }
}

function shown(pinned: Readonly<Record<string, string>>): string {
  return Object.entries(pinned)
    .map(([name, version]) => `${name}@${version}`)
    .join(' and ')
}
