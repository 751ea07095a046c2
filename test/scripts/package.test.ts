/** The manifest and the build of the package: what an app beside it must, and need not, have. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { reachedDeclarations } from '../../scripts/build/reached-declarations.ts'
import { assertFits } from '../../src/errors/fitting-peers.ts'

const peers: Readonly<Record<string, string>> = manifest.peerDependencies
const optional = Object.keys(manifest.peerDependenciesMeta)

test('what agents and an app share is a peer, so that there is one copy', () => {
  const shared = Object.keys(peers).filter((name) => !optional.includes(name))
  expect(shared).toEqual(['xstate', 'zod'])
  expect(Object.keys(manifest.dependencies)).toEqual(['@xstate/graph', 'openai'])
})

test('the package of a subpath refuses no later version, and no app that does without it', () => {
  const others = Object.entries(peers).filter(([name]) => optional.includes(name))
  expect(others.length).toBeGreaterThan(8)
  for (const [name, range] of others) expect(`${name}@${range}`).toMatch(/@>=\d+\.\d+\.\d+$/)
})

test('a package that lacks what is needed is refused by its name, with a code', () => {
  expect(() => assertFits('pg', '8.11', { Pool: () => undefined, nothing: null })).not.toThrow()
  expect(() => assertFits('pg', '8.11', { Pool: undefined })).toThrow(
    expect.objectContaining({
      code: 'PEER_UNFIT',
      message: 'Troupe needs pg 8.11 or later, and the installed version has no Pool: npm install pg@latest.',
    }),
  )
})

test('a declaration is published where an entry reaches it, by any form of import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'declarations-'))
  mkdirSync(join(folder, 'more'))
  const files = {
    'index.d.ts': "export type { A } from './a.ts';\nexport declare const b: import('./more/b.js').B;\n",
    'a.d.ts': "import './c.ts';\nimport type { Z } from 'zod';\nexport interface A extends Z {}\n",
    'more/b.d.ts': "export * from '../a.ts';\n",
    'c.d.ts': 'export {};\n',
    'nobody.d.ts': "export type { A } from './a.ts';\n",
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const reached = [...reachedDeclarations([join(folder, 'index.d.ts')])]
  expect(reached.map((file) => relative(folder, file)).toSorted()).toEqual([
    'a.d.ts',
    'c.d.ts',
    'index.d.ts',
    'more/b.d.ts',
  ])
  rmSync(join(folder, 'c.d.ts'))
  expect(() => reachedDeclarations([join(folder, 'index.d.ts')])).toThrow('c.d.ts')
  rmSync(folder, { recursive: true })
})
