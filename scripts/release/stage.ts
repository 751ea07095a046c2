/**
 * The package as it is published, in a folder of its own: the files that `npm pack` takes, with the README of npm, and with a manifest
 * without scripts and tools of this repository.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest, root } from './manifest.ts'
import { npmReadme } from './npm-readme.ts'

/** Fields of the manifest that serve this repository alone. */
const ofRepository = ['scripts', 'devDependencies', 'allowScripts', 'scarfSettings']

export class Stage implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-release-'))
  /** Where the package is. */
  readonly directory = join(this.#folder, 'package')
  readonly files: readonly { readonly path: string; readonly size: number }[]

  constructor() {
    const [packed] = JSON.parse(
      run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', this.#folder], root),
    ) as { filename: string }[]
    if (packed === undefined) throw new Error('npm pack made nothing.')
    run('tar', ['-xf', packed.filename], this.#folder)
    const readme = join(this.directory, 'README.md')
    writeFileSync(readme, npmReadme(readFileSync(readme, 'utf8'), readManifest()))
    const manifest = join(this.directory, 'package.json')
    const whole = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly devDependencies: object }
    // "troupe example" installs what an example needs.
    const versions = join(this.directory, 'examples/versions.json')
    writeFileSync(versions, `${JSON.stringify(whole.devDependencies, null, 2)}\n`)
    const published = Object.entries(whole).filter(([field]) => !ofRepository.includes(field))
    writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`)
    const [dry] = JSON.parse(run('npm', ['pack', '--dry-run', '--json'], this.directory)) as {
      files: { path: string; size: number }[]
    }[]
    this.files = dry?.files ?? []
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
