/** Runs a program of a few lines in a process of its own, on the pinned Node, with the modules in `dist`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramOptions {
  /** Found in `process.argv` from 1 on. */
  readonly args?: readonly string[]
  /** More flags for Node. */
  readonly flags?: readonly string[]
}

/** The program is TypeScript and imports troupe as a user does. */
export async function runProgram(
  source: string,
  { args = [], flags = [] }: ProgramOptions = {},
): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [...flags, '--input-type=module-typescript', '-e', source, '--', ...args],
    // One that does not end by itself must not outlive the test.
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 },
  )
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, stdout, stderr }
}
