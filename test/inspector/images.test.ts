/** The pictures of the inspector in the documentation are those that the script makes, and pages show each of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

test('each picture is made by the script, has its size, and is shown', () => {
  const script = read('scripts/screenshots.ts')
  const made = [...script.matchAll(/'(inspector-[a-z]+)'/g)].map(([, name]) => `${name}.png`)
  const images = readdirSync(join(root, 'docs/images')).filter((name) => name.startsWith('inspector-'))
  expect(images.toSorted()).toEqual(made.toSorted())
  const page = read('docs/run/inspector.md')
  expect(read('README.md')).toContain('(docs/images/inspector-run.png)')
  for (const image of images) {
    expect(page).toContain(`(../images/${image})`)
    const bytes = readFileSync(join(root, 'docs/images', image))
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1440, 900])
  }
})
