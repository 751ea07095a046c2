/** A copy of the repository in which mutants are run, one after the other. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyProof } from '../support/covers/record.ts'
import { mutated, type Mutant } from './mutant.ts'

/** `limit`: the tests did not end in time, as where a mutant waits for ever. */
export type Verdict = 'passed' | 'failed' | 'limit'

const copied = [
  'src',
  'test',
  'docs',
  'examples',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'README.md',
]

export class Sandbox implements Disposable {
  readonly #root: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'mutants-'))

  constructor(root: string) {
    this.#root = root
    for (const name of copied) cpSync(join(root, name), join(this.#folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'))
  }

  /** Runs `judge` while the fault of `mutant` is in the sources. */
  async with<T>(mutant: Mutant, judge: () => Promise<T>): Promise<T> {
    const file = join(this.#folder, mutant.file)
    const source = readFileSync(join(this.#root, mutant.file), 'utf8')
    writeFileSync(file, mutated(source, mutant))
    try {
      return await judge()
    } finally {
      writeFileSync(file, source)
    }
  }

  /** Runs tests up to the first that fails. `limit` in milliseconds. */
  tests(files: readonly string[], limit: number): Promise<Verdict> {
    const vitest = join(this.#folder, 'node_modules/vitest/vitest.mjs')
    return this.#run([vitest, 'run', ...files, '--bail=1', '--maxWorkers=1', '--reporter=dot'], limit)
  }

  /** Runs a program of the repository. */
  program(file: string, args: readonly string[], limit: number): Promise<Verdict> {
    return this.#run(['--conditions=troupe-source', file, ...args], limit)
  }

  async #run(args: readonly string[], limit: number): Promise<Verdict> {
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      // The time without a mutant is that of a proof that runs.
      env: { ...process.env, [everyProof]: '1' },
      stdio: 'ignore',
      detached: true,
    })
    const { pid } = child
    if (pid === undefined) throw new Error(`${process.execPath} could not be started.`)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      process.kill(-pid, 'SIGKILL') // the workers of the tests too
    }, limit)
    const [code] = (await once(child, 'exit')) as [number | null]
    clearTimeout(timer)
    return isLate ? 'limit' : code === 0 ? 'passed' : 'failed'
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
