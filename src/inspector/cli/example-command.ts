/**
 * `troupe example`: runs an example of the package. Node takes no TypeScript below `node_modules`, so that a copy of the examples
 * runs, beside the packages of the person. What an example needs besides is installed for the copy.
 */
import { ConfigurationError } from '../../index.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

export const exampleHelp = `As a program to learn from, without a key:

  troupe example                   all examples
  troupe example <number> [args]   runs one, such as 01
`

interface Manifest {
  readonly name: string
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Resolves with the exit code. `from`: a folder of the package. Rejects with a `ConfigurationError` for an unknown example. */
export async function runExample(
  args: readonly string[],
  print: (text: string) => void,
  from = import.meta.dirname,
): Promise<number> {
  const root = packageOf(from)
  const folder = join(root, 'examples')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+-/.test(name)) : []
  const [wanted, ...others] = args
  if (wanted === undefined) {
    print(`${names.map((name) => `${name}  ${subjectOf(join(folder, name))}`).join('\n')}\n`)
    return 0
  }
  const name = names.find(
    (one) => one === wanted || (/^\d+$/.test(wanted) && Number.parseInt(one) === Number(wanted)),
  )
  if (name === undefined) {
    const known = names.length === 0 ? 'none: this package was built without them' : names.join(', ')
    throw new ConfigurationError(`example: there is no example "${wanted}". Known: ${known}.`)
  }
  // A checkout of the repository has all packages, and Node takes its TypeScript.
  if (basename(dirname(root)) !== 'node_modules') return runNode(join(folder, name), others)
  return runCopy(root, name, others, print)
}

async function runCopy(
  root: string,
  name: string,
  args: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const place = await mkdtemp(join(tmpdir(), 'troupe-example-'))
  try {
    await symlink(dirname(root), join(place, 'node_modules'), 'junction')
    const app = join(place, 'app')
    await mkdir(app)
    await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }\n')
    await cp(join(root, 'examples'), join(app, 'examples'), { recursive: true })
    const example = join(app, 'examples', name)
    const missing = packagesOf(example).filter((one) => !existsSync(join(place, 'node_modules', one)))
    if (missing.length > 0) {
      print(`The example needs ${missing.join(', ')}: npm installs that for its copy.\n`)
      const versions = versionsOf(root)
      const targets = missing.map((one) => `${one}@${versions[one] ?? 'latest'}`)
      const quietly = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps']
      const installed = await run('npm', ['install', ...quietly, ...targets], app)
      if (installed !== 0) return installed
    }
    return await runNode(example, args)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** Before 22.18, Node takes TypeScript by a flag. */
function runNode(example: string, args: readonly string[]): Promise<number> {
  const flags = process.features.typescript === false ? ['--experimental-strip-types'] : []
  return run(process.execPath, [...flags, join(example, 'main.ts'), ...args], process.cwd())
}

/** Resolves with the exit code, or that of a signal. Ctrl+C reaches the program itself. */
async function run(command: string, args: readonly string[], cwd: string): Promise<number> {
  const isWindowsNpm = command === 'npm' && process.platform === 'win32'
  const child = spawn(command, args, { cwd, stdio: 'inherit', shell: isWindowsNpm })
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return code ?? 130
  } finally {
    process.off('SIGINT', ignore)
  }
}

/** The packages that the modules of an example import, and those of the modules that they reach. */
function packagesOf(example: string): readonly string[] {
  const files = readdirSync(example, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(example, file))
  const found = new Set<string>()
  const seen = new Set(files)
  for (const file of seen) {
    for (const target of importsOf(file)) {
      if (target.startsWith('.')) seen.add(resolve(dirname(file), target))
      else if (!isBuiltin(target)) found.add(/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target)
    }
  }
  return [...found]
}

function importsOf(file: string): readonly string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  const targets = lines.flatMap((line) => {
    const isImport = /^(?:import|export|\})/.test(line) || line.includes('import(')
    const [, after] = isImport ? line.split(/ from '|import '|import\('/) : []
    return after === undefined ? [] : [after.split("'")[0] ?? '']
  })
  return targets.filter((target) => target !== '')
}

/** The first sentence of an example. */
function subjectOf(example: string): string {
  const text = readFileSync(join(example, 'main.ts'), 'utf8')
  const [, comment = ''] = /^\/\*\*([^]*?)\*\//.exec(text) ?? []
  const words = comment
    .split('\n')
    .map((line) => line.replace(/^ \*/, '').trim())
    .join(' ')
    .trim()
  return /^[^]*?\.(?=\s|$)/.exec(words)?.[0] ?? words
}

function packageOf(folder: string): string {
  const file = join(folder, 'package.json')
  if (existsSync(file) && manifestOf(folder).name === 'troupe') return folder
  const above = dirname(folder)
  if (above === folder) throw new ConfigurationError('example: the folder of the package is not found.')
  return packageOf(above)
}

/** Of the packages of examples: a package that is published has them in a file of its own. */
function versionsOf(root: string): Readonly<Record<string, string>> {
  const file = join(root, 'examples/versions.json')
  const published = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}
  return { ...manifestOf(root).devDependencies, ...published }
}

function manifestOf(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
}
