/** Builds the app where it was not built since its sources have changed: `next build`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const folder = import.meta.dirname

/** What Next.js builds: the app and the library. */
const sources = [
  'app',
  'components',
  'server',
  'agents.ts',
  'next.config.ts',
  'proxy.ts',
  '../support/page.css',
  '../../dist',
]

export async function ensureBuilt(): Promise<void> {
  const built = statSync(join(folder, '.next/BUILD_ID'), { throwIfNoEntry: false })?.mtimeMs
  if (built !== undefined && built > changedAt()) return
  const program = fileURLToPath(import.meta.resolve('next/dist/bin/next'))
  const child = spawn(process.execPath, [program, 'build', folder], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (told += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`next build has ended with ${code}:\n${told}`)
}

/** When the newest source was changed. A folder changes when a file goes. */
function changedAt(): number {
  const roots = sources.map((name) => join(folder, name))
  const files = roots.flatMap((root) =>
    statSync(root).isFile()
      ? [root]
      : [root, ...readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name))],
  )
  return Math.max(...files.map((file) => statSync(file).mtimeMs))
}
