/** The fingerprint by which a proof is passed over: it follows all that a test file executes, and nothing else. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { fingerprintOf, root } from '../support/covers/fingerprint.ts'

const folder = join(root, `scratch/covers-${process.pid}`)
const place = (name: string) => relative(root, join(folder, name))
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const hash = async (data: readonly string[] = []) => (await fingerprintOf(place('proof.ts'), data)).hash

beforeEach(() => {
  mkdirSync(folder, { recursive: true })
  write(
    'proof.ts',
    `import { step } from './machine.ts'\nimport { assign } from 'xstate'\nconsole.log(step(1), assign)\n`,
  )
  write('machine.ts', `import { one } from './inner.ts'\nexport const step = (by: number) => by + one\n`)
  write('inner.ts', 'export const one = Number("1")\nexport const other = 2\n')
  write('golden.txt', 'one edge')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('it is the same for the same code', async () => {
  expect(await fingerprintOf(place('proof.ts'))).toEqual({ hash: await hash(), modules: 3 })
})

test('a comment, a type and code that nothing reaches make no difference', async () => {
  const before = await hash()
  write(
    'machine.ts',
    `// Why.\nimport { one } from './inner.ts'\n\nexport const step = (by: number): number => by + one\n`,
  )
  write(
    'inner.ts',
    'export const one = Number("1")\nexport const other = 3\nexport interface Shape { size: number }\n',
  )
  expect(await hash()).toBe(before)
})

test('a change in a module that another one imports makes another', async () => {
  const before = await hash()
  write('inner.ts', 'export const one = Number("2")\nexport const other = 2\n')
  expect(await hash()).not.toBe(before)
})

test('so does a module that is imported for what it does', async () => {
  const before = await hash()
  write('inner.ts', `import './effect.ts'\nexport const one = Number("1")\n`)
  write('effect.ts', `globalThis.name = 'changed'\n`)
  expect(await hash()).not.toBe(before)
})

test('so does a file that the proof reads', async () => {
  const before = await hash([place('golden.txt')])
  write('golden.txt', 'two edges')
  const after = await hash([place('golden.txt')])
  expect(new Set([before, after, await hash()]).size).toBe(3)
})

test('so does another package', async () => {
  const before = await hash()
  write(
    'proof.ts',
    `import { step } from './machine.ts'\nimport { assign } from 'zod'\nconsole.log(step(1), assign)\n`,
  )
  expect(await hash()).not.toBe(before)
})

test('so does a module that is imported later', async () => {
  write('inner.ts', `export const one = await import('./later.ts')\n`)
  write('later.ts', 'export const done = Number("1")\n')
  const before = await hash()
  write('later.ts', 'export const done = Number("2")\n')
  expect(await hash()).not.toBe(before)
})

test.each([
  ['of a computed name', `export const one = await import(process.argv[2])`, /whose name it computes/],
  ['that is not there', `export { one } from './nowhere.ts'`, /nowhere/],
  ['of no entry of the package', `export { createTool as one } from 'troupe/nowhere'`, /nowhere/],
  [
    'of a package that the lockfile does not have',
    `export { one } from 'no-such-package'`,
    /no-such-package/,
  ],
])('a module %s is refused', async (_, text, message) => {
  write('inner.ts', text)
  await expect(hash()).rejects.toThrow(message)
})
