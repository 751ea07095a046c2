/** Apps of others: their test runners, bundlers and package managers, on the packed package. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { patience, root, type StrangerProject } from '../stranger-project.ts'
import type { Installed } from './tools.ts'

interface Choice {
  /** Also what takes minutes. */
  readonly withAll: boolean
}

/** The packages of the apps, with their versions. */
export function packagesOf({ withAll }: Choice): readonly string[] {
  const others = ['jest@30', 'vitest@5', 'vite@8', 'webpack@5']
  return withAll ? [...others, 'next@16', 'react-dom', '@yarnpkg/cli-dist@4'] : others
}

export function checkEnvironments(project: StrangerProject, installed: Installed, choice: Choice): void {
  const apps = new Apps(project, installed)
  apps.testRunners()
  apps.bundlers()
  apps.worker()
  apps.pnpm()
  if (!choice.withAll) return
  apps.minimized()
  apps.next()
  apps.yarn()
}

class Apps {
  readonly #project: StrangerProject
  readonly #installed: Installed
  readonly #folder: string
  readonly #esbuild: string | undefined

  constructor(project: StrangerProject, installed: Installed) {
    this.#project = project
    this.#installed = installed
    this.#folder = join(project.directory, 'apps')
    this.#esbuild = installed.fileOf('esbuild')
    cpSync(join(import.meta.dirname, 'environments'), this.#folder, { recursive: true })
    cpSync(join(import.meta.dirname, 'browser.mjs'), join(this.#folder, 'browser.mjs'))
    this.#write('package.json', { private: true, type: 'module' })
  }

  /** The same tests in each, under its fake timers; in Jest as CommonJS, its default, and as ES modules. */
  testRunners(): void {
    const fake = { transform: {}, fakeTimers: { enableGlobally: true }, testTimeout: patience }
    const jest = join(this.#project.directory, 'node_modules/jest/bin/jest.js')
    if (this.#esbuild !== undefined) {
      const format = ['--bundle', '--packages=external', '--format=cjs', '--outfile=agent.test.cjs']
      this.#run(this.#esbuild, ['agent.test.mjs', ...format, '--log-level=warning'])
      const commonJs = {
        testMatch: ['**/agent.test.cjs'],
        moduleFileExtensions: ['cjs', 'js', 'mjs', 'json'],
      }
      this.#write('jest-commonjs.json', { ...fake, ...commonJs })
      this.#run('node', [jest, '--config', 'jest-commonjs.json'])
    }
    const modules = { testMatch: ['**/agent.test.mjs'], moduleFileExtensions: ['mjs', 'js', 'cjs', 'json'] }
    this.#write('jest-modules.json', { ...fake, ...modules })
    this.#run('node', ['--experimental-vm-modules', jest, '--config', 'jest-modules.json'])
    const vitest = join(this.#project.directory, 'node_modules/vitest/vitest.mjs')
    this.#run('node', [vitest, 'run', '--config', 'vitest.config.mjs', `--testTimeout=${patience}`])
    this.#run('node', ['--test', '--import', './node-test.mjs', 'agent.test.mjs'])
  }

  bundlers(): void {
    if (this.#esbuild !== undefined) {
      for (const [format, file] of [
        ['esm', 'minified.mjs'],
        ['cjs', 'minified.cjs'],
      ] as const) {
        const options = ['--bundle', '--minify', '--platform=node', `--format=${format}`, `--outfile=${file}`]
        this.#run(this.#esbuild, ['names.mjs', ...options, '--log-level=warning'])
        this.#run('node', [file])
      }
    }
    this.#webpack([])
    this.#run('node', ['vite.mjs'])
    this.#run('node', ['vite-bundle/names.mjs'])
  }

  /** webpack with its own minifier. */
  minimized(): void {
    this.#webpack(['--minimize'])
  }

  #webpack(options: readonly string[]): void {
    this.#run('node', ['webpack.mjs', ...options])
    this.#run('node', ['webpack-node.cjs'])
    this.#run('node', ['webpack-browser.cjs'])
  }

  worker(): void {
    const workerd = this.#installed.fileOf('workerd')
    if (workerd === undefined || this.#esbuild === undefined) return
    const options = ['--bundle', '--format=esm', '--conditions=workerd,worker,browser', '--external:node:*']
    const to = ['--outfile=worker-bundle.mjs', '--log-level=warning']
    this.#run(this.#esbuild, ['worker.mjs', ...options, ...to])
    this.#run(workerd, ['test', 'worker.capnp'])
  }

  /** An app of pnpm sees the packages that it names, and no others: also when declarations name ours. */
  pnpm(): void {
    const pnpm = this.#installed.fileOf('pnpm')
    if (pnpm === undefined) return
    const folder = this.#app('pnpm-app')
    cpSync(join(import.meta.dirname, 'environments/exported.mts'), join(folder, 'exported.mts'))
    // A workspace of its own: pnpm looks for one in the folders above.
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), "packages: ['.']\n")
    this.#project.run(
      pnpm,
      ['install', '--prefer-offline', '--store-dir', '../pnpm-store', '--reporter=append-only'],
      folder,
    )
    this.#project.run('node', ['names.mjs'], folder)
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022', 'esnext.disposable', 'dom'],
      strict: true,
      declaration: true,
      outDir: 'declared',
      types: [],
    }
    this.#write('pnpm-app/tsconfig.json', { compilerOptions, files: ['exported.mts'] })
    for (const compiler of ['typescript', 'typescript-5.9'])
      this.#project.run('node', [join(root, 'node_modules', compiler, 'bin/tsc'), '-p', '.'], folder)
  }

  next(): void {
    this.#run('node', ['next.mjs'])
  }

  /** Plug'n'Play: there is no `node_modules`, and a package reaches what it names. */
  yarn(): void {
    const folder = this.#app('yarn-app', { xstate: '^5.33.0' })
    const registry = this.#project.run('npm', ['config', 'get', 'registry'], folder).trim()
    const settings = { nodeLinker: 'pnp', enableGlobalCache: false, enableTelemetry: false }
    const server = { npmRegistryServer: registry, unsafeHttpWhitelist: [new URL(registry).hostname] }
    this.#write('yarn-app/.yarnrc.yml', { ...settings, ...server })
    writeFileSync(join(folder, 'yarn.lock'), '')
    const yarn = join(this.#project.directory, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
    this.#project.run('node', [yarn, 'install', '--no-immutable'], folder)
    this.#project.run('node', [yarn, 'node', 'names.mjs'], folder)
  }

  /** A folder of its own with the package and a program. Its program is in it: the packages above are not its own. */
  #app(name: string, others: Readonly<Record<string, string>> = {}): string {
    const folder = join(this.#folder, name)
    mkdirSync(folder)
    cpSync(join(import.meta.dirname, 'answer.mjs'), join(folder, 'answer.mjs'))
    const program = readFileSync(join(import.meta.dirname, 'environments/names.mjs'), 'utf8')
    writeFileSync(join(folder, 'names.mjs'), program.replace('../answer.mjs', './answer.mjs'))
    const dependencies = { troupe: `file:${this.#project.tarball}`, zod: '^4.6.7', ...others }
    this.#write(`${name}/package.json`, { private: true, type: 'module', dependencies })
    return folder
  }

  #run(command: string, args: readonly string[]): void {
    this.#project.run(command, args, this.#folder)
  }

  #write(name: string, content: object): void {
    writeFileSync(join(this.#folder, name), JSON.stringify(content))
  }
}
