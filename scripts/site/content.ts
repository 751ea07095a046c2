/**
 * The content of the site: the pages of docs/ as they are, with links that lead on the site, and the pages of site/pages. Pages of
 * examples and of the API are made of their sources.
 */
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tableAfter } from '../../test/support/markdown.ts'
import { surfacesOf } from '../api/declared.ts'
import { entriesOf } from '../api/entries.ts'
import { readManifest, pageOf as repositoryOf, root } from '../release/manifest.ts'
import { outsideCode, pageOf, withLinks } from './places.ts'
import { recordings } from './recordings.ts'

export interface Page {
  readonly place: string
  readonly title: string
}

export const content = join(root, 'site/content')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

export function writeContent(): readonly Page[] {
  const manifest = readManifest()
  const repository = repositoryOf(manifest)
  const files = [
    ...globSync('docs/**/*.md', { cwd: root }),
    'CHANGELOG.md',
    'SECURITY.md',
    'bench/README.md',
    'examples/README.md',
  ]
  for (const file of files) {
    const place = pageOf(file)
    if (place !== undefined) put(place, forSite(withLinks(read(file), file, repository)))
  }
  for (const file of globSync('**/*.md', { cwd: join(root, 'site/pages') }))
    put(file, read(`site/pages/${file}`))
  for (const [place, text] of examplePages()) put(place, text)
  for (const [place, text] of apiPages(repository)) put(place, text)
  put('design/charts/index.md', chartsPage())
  for (const folder of ['design/charts', 'images'])
    cpSync(join(root, 'docs', folder), join(content, 'public', folder), {
      recursive: true,
      filter: (file) => !/\.(?:md|txt)$/.test(file),
    })
  const base = new URL(manifest.homepage).pathname
  writeFileSync(
    join(content, 'site.json'),
    JSON.stringify({ base, repository, sidebar: sidebarOf(read('docs/README.md')) }),
  )
  return globSync('**/*.md', { cwd: content })
    .toSorted()
    .map((place) => ({
      place,
      title: /^(?:# |title: )(.+)$/m.exec(readFileSync(join(content, place), 'utf8'))?.[1] ?? place,
    }))
}

function put(place: string, text: string): void {
  const file = join(content, place)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Pictures of both themes, recordings, and no braces or tags that Vue would read. */
function forSite(text: string): string {
  return outsideCode(text, (part) =>
    part
      .replaceAll(
        /<picture>\s*<source[^>]*srcset="([^"]+)"[^>]*>\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g,
        (_, dark: string, alt: string, light: string) => pictures(placeOf(light), placeOf(dark), alt),
      )
      .replaceAll(/<troupe-run src="([\w-]+)\.story"><\/troupe-run>/g, (_, name: string) => {
        if (!recordings.some((recording) => recording.name === name))
          throw new Error(`There is no recording "${name}".`)
        return `<RunPlayer name="${name}" />`
      })
      .replaceAll(/(!\[[^\]]*\]\()(?:\.\.\/)*(?:docs\/)?images\//g, '$1/images/')
      .replaceAll('{{', '&#123;&#123;'),
  )
}

/** `../design/charts/react-light.svg` is `/design/charts/react-light.svg` wherever its page is. */
function placeOf(picture: string): string {
  return picture.includes('charts/') || picture.includes('design/')
    ? `/design/charts/${picture.split('/').at(-1) ?? ''}`
    : picture.includes('drawings/')
      ? `/images/drawings/${picture.split('/').at(-1) ?? ''}`
      : `/design/charts/${picture.split('/').at(-1) ?? ''}`
}

function pictures(light: string, dark: string, alt: string): string {
  return `<img class="only-light" alt="${alt}" src="${light}" loading="lazy"><img class="only-dark" alt="${alt}" src="${dark}" loading="lazy">`
}

/** Each example with its sources, and its place in the repository. */
function* examplePages(): Generator<readonly [string, string]> {
  for (const name of readdirSync(join(root, 'examples')).filter((folder) => /^\d\d-/.test(folder))) {
    const about = /^\/\*\*([^]*?)\*\//
      .exec(read(`examples/${name}/main.ts`))?.[1]
      ?.replaceAll(/\s*\n \* ?/g, ' ')
      .trim()
    const sources = globSync('*.ts', { cwd: join(root, 'examples', name) }).toSorted((one, other) =>
      one === 'main.ts' ? -1 : other === 'main.ts' ? 1 : one.localeCompare(other),
    )
    const blocks = sources.map(
      (file) => `## ${file}\n\n\`\`\`ts\n${read(`examples/${name}/${file}`).trimEnd()}\n\`\`\`\n`,
    )
    const command = `\`\`\`sh\nnpm run example examples/${name}/main.ts\n\`\`\``
    yield [
      `examples/${name}.md`,
      `# ${name.replace('-', ' · ').replaceAll('-', ' ')}\n\n${escaped(about ?? '')}\n\nIn a clone of the repository, without a key:\n\n${command}\n\n${blocks.join('\n')}`,
    ]
  }
}

/** A page for each entry: every export, with its docstring, its declaration and its place in the source. */
function* apiPages(repository: string): Generator<readonly [string, string]> {
  const surfaces = surfacesOf(entriesOf().filter(({ subpath }) => subpath !== './kit/host'))
  const told = new Map<string, string>()
  const rows: string[] = []
  for (const { entry, isExperimental, names } of surfaces) {
    const place = entry.name.replaceAll('/', '-')
    rows.push(
      `| [\`${entry.name}\`](./${place}.md) | ${isExperimental ? 'experimental' : 'stable'} | ${names.length} |`,
    )
    const chapters = names.map(({ name, identity, isExperimental: isNew, doc, text, file }) => {
      const first = told.get(identity)
      if (first !== undefined)
        return `## \`${name}\`\n\nAs in [\`${first}\`](./${first.replaceAll('/', '-')}.md).\n`
      told.set(identity, entry.name)
      const mark = isNew ? '*Experimental.* ' : ''
      const source = file === undefined ? '' : `\n[Source](${repository}/blob/main/${file})\n`
      return `## \`${name}\`\n\n${mark}${escaped(doc)}\n\n\`\`\`ts\n${text}\n\`\`\`\n${source}`
    })
    yield [`reference/api/${place}.md`, `# ${entry.name}\n\n${chapters.join('\n')}`]
  }
  yield [
    'reference/api/index.md',
    `# The API\n\nEvery export of every entry, with its declaration. [Stability](../stability.md) says what the marks mean.\n\n| entry | mark | exports |\n| --- | --- | --- |\n${rows.join('\n')}\n`,
  ]
}

function chartsPage(): string {
  const names = globSync('*.md', { cwd: join(root, 'docs/design/charts') }).toSorted()
  return `# Charts\n\nEvery machine of the library, drawn from its source.\n\n${names.map((name) => `- [${name.replace('.md', '')}](./${name})`).join('\n')}\n`
}

function escaped(text: string): string {
  return text
    .split(/(`[^`\n]*`)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;'),
    )
    .join('')
}

/** The chapters of the map of the documentation, with their tables. */
function sidebarOf(map: string): unknown {
  const learn = ['README', 'agent', 'supervisor', 'approval', 'fork', 'orders'].map((name) => ({
    text: /^# (.+)$/m.exec(read(`docs/learn/${name}.md`))?.[1] ?? name,
    link: `/learn/${name === 'README' ? '' : name}`,
  }))
  const groups = [...map.matchAll(/^## (.+)$/gm)].flatMap(([heading, title = '']) => {
    if (title === 'Learn') return [{ text: title, items: learn }]
    const items = tableAfter(map, heading).flatMap(([cell = '']) => {
      const [, text, target] = /^\[(.+)\]\((.+)\)$/.exec(cell) ?? []
      const place = target === undefined ? undefined : pageOf(join('docs', target))
      return text === undefined || place === undefined
        ? []
        : [{ text, link: `/${place.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}` }]
    })
    if (title === 'Reference') items.unshift({ text: 'The API', link: '/reference/api/' })
    return [{ text: title, collapsed: !['Guide'].includes(title), items }]
  })
  return [...groups, { text: 'Examples', items: [{ text: 'All examples', link: '/examples/' }] }]
}
