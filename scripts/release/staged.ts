/** A package as it is published, in a folder of its own: the files that `npm pack` takes, and a manifest for npm. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of a manifest. */
export type Fields = Readonly<Record<string, unknown>>

export interface StagedFile {
  readonly path: string
  readonly size: number
}

export class Staged implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-release-'))
  /** Where the package is. */
  readonly directory = join(this.#folder, 'package')

  /** `source`: the folder of the package in the repository. */
  constructor(source: string) {
    const [packed] = JSON.parse(
      run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', this.#folder], source),
    ) as { filename: string }[]
    if (packed === undefined) throw new Error('npm pack made nothing.')
    run('tar', ['-xf', packed.filename], this.#folder)
  }

  /** What npm would publish of it now. */
  get files(): readonly StagedFile[] {
    const [dry] = JSON.parse(run('npm', ['pack', '--dry-run', '--json'], this.directory)) as {
      files: StagedFile[]
    }[]
    return dry?.files ?? []
  }

  /** The texts of its files, by their places. */
  get texts(): ReadonlyMap<string, string> {
    return new Map(this.files.map(({ path }) => [path, this.read(path)]))
  }

  read(file: string): string {
    return readFileSync(join(this.directory, file), 'utf8')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.directory, file), text)
  }

  manifest(change: (fields: Fields) => Fields): void {
    const fields = JSON.parse(this.read('package.json')) as Fields
    this.write('package.json', `${JSON.stringify(change(fields), null, 2)}\n`)
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}.\n${stderr}`)
  return stdout
}
