/** What is published: placeholders are seen, the README of npm leads somewhere, and no file of the machine goes out. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultsIn, ofCreateTroupe } from '../../scripts/release/faults.ts'
import { placeholdersIn, readManifest, type Manifest } from '../../scripts/release/manifest.ts'
import {
  deadTargets,
  npmReadme,
  publishedPage,
  relativeTargets,
  withoutPadding,
} from '../../scripts/release/npm-readme.ts'
import { asOf } from '../../scripts/release/stage.ts'

const manifest: Manifest = {
  name: 'troupe',
  version: '0.1.0',
  author: 'Ann',
  homepage: 'https://ann.github.io/troupe/',
  repository: { url: 'git+https://github.com/ann/troupe.git' },
  bugs: { url: 'https://github.com/ann/troupe/issues', email: 'security@ann.dev' },
}

describe('placeholders', () => {
  test('none is left in a manifest that is filled in', () => {
    expect(placeholdersIn(manifest)).toEqual([])
  })

  test.each([
    ['author', { author: 'OWNER' }],
    ['homepage', { homepage: 'https://OWNER.github.io/troupe/' }],
    ['repository.url', { repository: { url: 'git+https://github.com/OWNER/troupe.git' } }],
    ['bugs.url', { bugs: { ...manifest.bugs, url: 'https://github.com/OWNER/troupe/issues' } }],
    ['bugs.email', { bugs: { ...manifest.bugs, email: 'security@ann.example' } }],
  ])('one in %s is named', (field, change) => {
    const found = placeholdersIn({ ...manifest, ...change })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(`${field}: `)
  })
})

describe('a page of the package', () => {
  const has = (path: string): boolean => ['docs/guide/tools.md', 'examples/01-desk'].includes(path)
  const page = 'docs/learn/agent.md'
  const text = [
    '[Tools](../guide/tools.md#groups), [example](../../examples/01-desk/) and [chart](../design/charts/react.md#states).',
    '<img alt="A" src="../images/a.svg"> [gone](../gone.txt)',
  ].join('\n')

  test('leads to what is beside it, and to the repository for the rest', () => {
    expect(deadTargets(text, { page, has })).toEqual([
      '../design/charts/react.md#states',
      '../gone.txt',
      '../images/a.svg',
    ])
    const published = publishedPage(text, { manifest, page, has })
    expect(published.split('\n')).toEqual([
      '[Tools](../guide/tools.md#groups), [example](../../examples/01-desk/) and [chart](https://github.com/ann/troupe/blob/v0.1.0/docs/design/charts/react.md#states).',
      '<img alt="A" src="https://raw.githubusercontent.com/ann/troupe/v0.1.0/docs/images/a.svg"> [gone](https://github.com/ann/troupe/blob/v0.1.0/docs/gone.txt)',
    ])
    expect(deadTargets(published, { page, has })).toEqual([])
  })
})

test('a table is published without the spaces that line it up, and code as it was', () => {
  const table = [
    '| name     | what            |',
    '| -------- | --------------: |',
    '| `a  b`   | one \\| two     |',
    '|          | three           |',
    '```text',
    '| a      | b     |',
    '```',
  ].join('\n')
  expect(withoutPadding(table).split('\n')).toEqual([
    '| name | what |',
    '| --- | ---: |',
    '| `a  b` | one \\| two |',
    '| | three |',
    '```text',
    '| a      | b     |',
    '```',
  ])
})

describe('the README of npm', () => {
  const readme = [
    'See [`docs`](pages/README.md#guide), [XState](https://stately.ai), [below](#below) and `[code](x.md)`.',
    '![A page](pages/images/page.png)',
    '<source srcset="pages/a-dark.svg"><img alt="A" src="pages/a.svg">',
    '```ts',
    'const text = "[link](y.md)"',
    '```',
  ].join('\n')

  test('has whole addresses of the tag, and code as it was', () => {
    expect(npmReadme(readme, manifest).split('\n')).toEqual([
      'See [`docs`](https://github.com/ann/troupe/blob/v0.1.0/pages/README.md#guide), [XState](https://stately.ai), [below](#below) and `[code](x.md)`.',
      '![A page](https://raw.githubusercontent.com/ann/troupe/v0.1.0/pages/images/page.png)',
      '<source srcset="https://raw.githubusercontent.com/ann/troupe/v0.1.0/pages/a-dark.svg"><img alt="A" src="https://raw.githubusercontent.com/ann/troupe/v0.1.0/pages/a.svg">',
      '```ts',
      'const text = "[link](y.md)"',
      '```',
    ])
  })

  test('relative targets are found, and none is left', () => {
    expect(relativeTargets(readme)).toEqual([
      'pages/README.md#guide',
      'pages/images/page.png',
      'pages/a-dark.svg',
      'pages/a.svg',
    ])
    expect(relativeTargets(npmReadme(readme, manifest))).toEqual([])
  })

  test('a repository elsewhere is refused', () => {
    const elsewhere = { ...manifest, repository: { url: 'https://example.org/troupe' } }
    expect(() => npmReadme(readme, elsewhere)).toThrow('repository.url is not of GitHub')
  })
})

test.each([
  ['dist/index.js', 'export {}\n', 0],
  ['dist/index.js.map', '{}', 1],
  ['src/index.ts', 'export {}', 1],
  ['.env', 'KEY=1', 1],
  ['dist/kit/index.js', '// /root/troupe/src/kit/index.ts\n', 1],
  ['docs/run/time-travel.md', 'Put it into /home/user/app.\n', 0],
  ['examples/02-hello-agent/main.ts', `const key = "sk-${'a'.repeat(40)}"\n`, 1],
])('%s with %j has %d faults', (file, text, count) => {
  expect(faultsIn(new Map([[file, text]]))).toHaveLength(count)
})

test.each([
  ['create.js', 0],
  ['template/src/agent.ts', 0],
  ['template/gitignore', 0],
  ['template/.env', 1],
  ['template/node_modules/zod/index.js', 1],
  ['template/app.db', 1],
])('of create-troupe, %s has %d faults', (file, count) => {
  expect(faultsIn(new Map([[file, '']]), ofCreateTroupe)).toHaveLength(count)
})

test('create-troupe is published as the same version, from the same place, under the same licence', () => {
  const file = new URL('../../packages/create-troupe/package.json', import.meta.url)
  const fields = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const { version, author, repository, license, publishConfig } = readManifest()
  expect(asOf(readManifest(), fields)).toMatchObject({
    name: 'create-troupe',
    version,
    author,
    license,
    publishConfig,
    repository: { ...repository, directory: 'packages/create-troupe' },
    bin: { 'create-troupe': './create.js' },
    files: ['create.js', 'template'],
  })
})
