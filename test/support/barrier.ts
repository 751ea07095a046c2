/** Lets several processes do something at the same moment: each says that it is there, and then waits for the start. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TemporaryFolder } from './temporary-folder.ts'

/** Lines for a program that is given the folder as its first argument. */
export const waitAtBarrier = `
  import { existsSync, writeFileSync } from 'node:fs'
  writeFileSync(process.argv[1] + '/ready-' + process.pid, '')
  while (!existsSync(process.argv[1] + '/start')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
`

/** Gives the start when this many wait. */
export async function startTogether(folder: TemporaryFolder, count: number): Promise<void> {
  const isReady = (name: string): boolean => name.startsWith('ready-')
  while (readdirSync(folder.path).filter(isReady).length < count) await sleep(5)
  if (!existsSync(folder.file('start'))) writeFileSync(folder.file('start'), '')
}
