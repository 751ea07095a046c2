/**
 * Builds the page of the inspector into `dist/inspector/page`: one script, one style sheet and the document, and the
 * licences of the packages in the script; and the element `<troupe-run>`. The bundle
 * holds all that the page needs; a browser that shows the page asks no other server.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFresh } from '../build/freshness.ts'
import { withoutBarrels } from '../build/without-barrels.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src/inspector/page')
const embedded = join(root, 'src/inspector/embed')

/** The folder from which the server of the inspector reads the page. */
export const folder = join(root, 'dist/inspector/page')

/** Builds the page where it is missing, or older than its sources. Returns whether it was built. */
export async function ensurePage(): Promise<boolean> {
  if (
    isFresh(join(folder, 'page.js'), [
      source,
      embedded,
      join(root, 'src/inspector/story'),
      join(root, 'src/drawing'),
      import.meta.dirname,
    ])
  )
    return false
  await buildPage()
  return true
}

export async function buildPage(): Promise<void> {
  const { build } = await import('rolldown')
  const { output } = await build({
    cwd: root,
    input: join(source, 'main.tsx'),
    platform: 'browser',
    tsconfig: false,
    plugins: [withoutBarrels(root)],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    output: { format: 'es', minify: true, comments: false, codeSplitting: false },
    write: false,
  })
  mkdirSync(folder, { recursive: true })
  await buildElement()
  write('page.css', styles(source))
  write('index.html', readFileSync(join(source, 'index.html'), 'utf8'))
  write('licenses.txt', licensesOf(Object.keys(output[0].modules)))
  write('page.js', output[0].code) // last: its time is that of the build
}

/** The element `<troupe-run>`: one script, which holds its style sheet. */
async function buildElement(): Promise<void> {
  const { build } = await import('rolldown')
  const { output } = await build({
    cwd: root,
    input: join(embedded, 'troupe-run.tsx'),
    platform: 'browser',
    tsconfig: false,
    plugins: [withoutBarrels(root)],
    transform: {
      jsx: { runtime: 'automatic', importSource: 'preact' },
      target: 'es2022',
      define: { embeddedStyles: JSON.stringify(elementStyles()) },
    },
    output: { format: 'es', minify: true, comments: false, codeSplitting: false },
    write: false,
  })
  write('troupe-run.js', output[0].code)
}

/** The styles of the page for a shadow root: its host has them, and sizes do not depend on the document around. */
function elementStyles(): string {
  const rooms = ['style', 'shared', 'chart', 'tree', 'panels', 'search', 'thread'].map((room) =>
    styles(join(source, room)),
  )
  return [...rooms, styles(embedded)]
    .join('')
    .replaceAll(':root', ':host')
    .replaceAll(/([\d.]+)rem/g, (_, size: string) => `${Math.round(Number(size) * 1300) / 100}px`)
}

/** A reader finds the old file or the new one, never a part. */
function write(name: string, text: string): void {
  const path = join(folder, name)
  const next = `${path}.${process.pid}`
  writeFileSync(next, text)
  renameSync(next, path)
}

/** The style sheets of all rooms, those of `style` first, without comments and indentation. */
function styles(place: string): string {
  const files = filesIn(place).filter((file) => file.endsWith('.css'))
  const isShared = (file: string) => file.startsWith(join(source, 'style'))
  const ordered = [...files.filter(isShared), ...files.filter((file) => !isShared(file))]
  return compact(ordered.map((file) => readFileSync(file, 'utf8')).join('\n'))
}

/** Without comments, and without the white space that no text of the sheet needs. */
function compact(sheet: string): string {
  return sheet
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim()
}

/** The licences of the packages that the script contains. */
function licensesOf(modules: readonly string[]): string {
  const folders = modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)]
    .sort()
    .map((path) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}\n\n${licenseIn(path)}`)
    .join('\n---\n\n')
}

function licenseIn(path: string): string {
  const name = readdirSync(path).find((file) => /^licen[cs]e/i.test(file))
  if (name === undefined) throw new Error(`${path} has no licence.`)
  return readFileSync(join(path, name), 'utf8')
}

function filesIn(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
