/** `troupe example`, as a person runs it who has the package in `node_modules`. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runCommand } from '../../../src/inspector/cli/run-command.ts'
import { runExample } from '../../../src/inspector/cli/example-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../../..')

test('it lists every example, with its subject', async () => {
  const printed: string[] = []
  expect(await runExample([], (text) => void printed.push(text))).toBe(0)
  const lines = printed.join('').trimEnd().split('\n')
  const names = readdirSync(join(root, 'examples')).filter((name) => /^\d/.test(name))
  expect(lines.map((line) => line.split('  ')[0])).toEqual(names)
  expect(lines[1]).toBe('02-hello-agent  Hello, agent: one agent, one tool, one question.')
  for (const line of lines) expect(line).toMatch(/ {2}\S.+[.?]$/)
})

test('an unknown one is refused, with those that there are', async () => {
  const errors: string[] = []
  const terminal = { print: () => undefined, printError: (text: string) => void errors.push(text) }
  const code = await runCommand(['example', 'nope'], { ...terminal, interrupted: async () => undefined })
  expect(code).toBe(1)
  expect(errors.join('')).toMatch(/^example: there is no example "nope"\. Known: 01-research-desk, /)
})

test('an example runs below node_modules, where Node takes no TypeScript', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder()
  const modules = folder.file('node_modules')
  mkdirSync(modules)
  for (const name of ['zod', 'xstate', 'openai', '@copilotkit'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  symlinkSync(root, join(modules, 'troupe'), 'junction')
  const command = join(root, 'src/inspector/cli/example-command.ts')
  const program = `
    import { runExample } from ${JSON.stringify(command)}
    const print = (text) => void process.stdout.write(text)
    process.exitCode = await runExample(['2'], print, ${JSON.stringify(join(modules, 'troupe', 'dist'))})
  `
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=troupe-source', '--input-type=module', '-e', program],
    { cwd: folder.path, env },
  )
  expect(stdout).toContain('Answer:  With 19 % VAT, 1249.90 comes to 1487.38.')
  expect(stdout).not.toContain('npm installs')
})
