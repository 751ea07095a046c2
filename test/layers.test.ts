/**
 * The directions of import of DESIGN §2: `index → runtime → machines → actors → errors`. Every other folder of
 * src/ is an optional subpath, which may import any of these and is imported by none.
 */
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn, readSources, type Import } from './support/imports.ts'

const layers = ['index', 'runtime', 'machines', 'actors', 'errors']

const sources = readSources(join(import.meta.dirname, '../src'))
const imports = importsIn(sources)

/** The folder of a file, or its name when it stands at the top. */
function areaOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, '')
}

function isLayer(file: string): boolean {
  return layers.includes(areaOf(file))
}

function isOneWay({ file, target }: Import): boolean {
  if (target === undefined || areaOf(file) === areaOf(target)) return true
  if (!isLayer(target)) return false
  return !isLayer(file) || layers.indexOf(areaOf(file)) < layers.indexOf(areaOf(target))
}

/** The files that `entry` loads, directly or not, also for types. */
function reachable(entry: string, all: readonly Import[]): Set<string> {
  const reached = new Set([entry])
  for (const file of reached) {
    for (const { target } of all.filter((one) => one.file === file)) {
      if (target !== undefined) reached.add(target)
    }
  }
  return reached
}

function cyclic(all: readonly Import[]): string[] {
  return shown(all.filter(({ file, target }) => target !== undefined && reachable(target, all).has(file)))
}

function packageOf(specifier: string): string {
  return specifier.split('/')[0] ?? ''
}

/** As a failing test shows it. */
function shown(offending: readonly Import[]): string[] {
  return offending.map(({ file, specifier, kind }) => `${file} imports ${specifier} (${kind})`)
}

function wrongWay(all: readonly Import[]): string[] {
  return shown(all.filter((one) => !isOneWay(one)))
}

function impureMachines(all: readonly Import[]): string[] {
  return shown(
    all.filter(
      ({ file, specifier }) =>
        areaOf(file) === 'machines' && (isBuiltin(specifier) || packageOf(specifier) === 'openai'),
    ),
  )
}

function nodeOnly(all: readonly Import[]): string[] {
  const reached = reachable('index.ts', all)
  return shown(all.filter(({ file, specifier }) => reached.has(file) && isBuiltin(specifier)))
}

function eagerClient(all: readonly Import[]): string[] {
  return shown(all.filter(({ specifier, kind }) => packageOf(specifier) === 'openai' && kind === 'static'))
}

function unreadable(all: readonly Import[], known: readonly string[]): string[] {
  return shown(
    all.filter(
      ({ specifier, target }) =>
        specifier === '(computed)' || (target !== undefined && !known.includes(target)),
    ),
  )
}

test('src has the layers that these rules are about', () => {
  expect(layers.filter((layer) => !Object.keys(sources).some((file) => areaOf(file) === layer))).toEqual([])
  expect(Object.keys(sources).filter((file) => !file.includes('/') && !isLayer(file))).toEqual([])
})

test('every import is a text that leads to a file or a package', () => {
  expect(unreadable(imports, Object.keys(sources))).toEqual([])
})

test('imports go one way, and nobody imports an optional subpath', () => {
  expect(wrongWay(imports)).toEqual([])
})

test('machines import neither openai nor node', () => {
  expect(impureMachines(imports)).toEqual([])
})

test('what index.ts reaches imports nothing of node', () => {
  expect(nodeOnly(imports)).toEqual([])
})

test('the openai client is imported dynamically or for its types', () => {
  expect(eagerClient(imports)).toEqual([])
})

test('no file imports itself by way of others', () => {
  expect(cyclic(imports)).toEqual([])
})

test('the rules find what they forbid, in every form of import', () => {
  const all = importsIn({
    'index.ts': `export { run } from './runtime/run.ts'; export type { X } from './testing/x.ts'`,
    'errors.ts': `import './actors/tool.ts'`,
    'runtime/run.ts': `import { a } from '../machines/a.ts'; const fs = await import('node:fs')`,
    'machines/a.ts': `type Client = import('openai').OpenAI; export * from '../runtime/run.ts'; import 'path'`,
    'actors/tool.ts': `import { type OpenAI } from 'openai'; import type { O } from 'openai/resources'; import(name)`,
    'testing/x.ts': `import '../index.ts'; import './gone.ts'`,
  })
  expect(wrongWay(all)).toEqual([
    'index.ts imports ./testing/x.ts (type)',
    'errors.ts imports ./actors/tool.ts (static)',
    'machines/a.ts imports ../runtime/run.ts (static)',
  ])
  expect(impureMachines(all)).toEqual([
    'machines/a.ts imports openai (type)',
    'machines/a.ts imports path (static)',
  ])
  expect(nodeOnly(all)).toEqual([
    'runtime/run.ts imports node:fs (dynamic)',
    'machines/a.ts imports path (static)',
  ])
  expect(eagerClient(all)).toEqual(['actors/tool.ts imports openai (static)'])
  expect(cyclic(all)).toEqual([
    'index.ts imports ./testing/x.ts (type)',
    'runtime/run.ts imports ../machines/a.ts (static)',
    'machines/a.ts imports ../runtime/run.ts (static)',
    'testing/x.ts imports ../index.ts (static)',
  ])
  expect(unreadable(all, Object.keys(sources))).toContain('testing/x.ts imports ./gone.ts (static)')
  expect(unreadable(all, Object.keys(sources))).toContain('actors/tool.ts imports (computed) (dynamic)')
})
