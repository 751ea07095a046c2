/** Where a file of the repository is on the site. */
import { dirname, join, relative } from 'node:path'

/** The page of a file, or nothing where the site has none. Both are below their roots: `docs/guide/tools.md`, `guide/tools.md`. */
export function pageOf(file: string): string | undefined {
  if (file === 'README.md') return 'index.md'
  if (file === 'docs/README.md') return 'map.md'
  if (file === 'docs/patterns/choosing.md') return 'patterns/choosing.md'
  if (file === 'CHANGELOG.md') return 'changelog.md'
  if (file === 'SECURITY.md') return 'security.md'
  if (file === 'bench/README.md') return 'why/measurements.md'
  if (file === 'examples/README.md') return 'examples/index.md'
  if (file === 'docs/design/charts' || file === 'docs/design/charts/') return 'design/charts/index.md'
  const [, example] = /^examples\/(\d\d-[\w-]+)(?:\/main\.ts|\/)?$/.exec(file) ?? []
  if (example !== undefined) return `examples/${example}.md`
  const [, page] = /^docs\/(.+\.md)$/.exec(file) ?? []
  return page?.replace(/README\.md$/, 'index.md')
}

/** A page with its links led to pages of the site; what is not on the site is led to the repository. */
export function withLinks(text: string, file: string, repository: string): string {
  const page = pageOf(file) ?? file
  return outsideCode(text, (part) =>
    part.replaceAll(/(\]\()([^)\s]+)(\))/g, (_, before: string, target: string, after: string) => {
      return `${before}${linkOf(target, file, page, repository)}${after}`
    }),
  )
}

function linkOf(target: string, file: string, page: string, repository: string): string {
  if (/^(?:https?:|mailto:|#)/.test(target)) return target
  const [path = '', anchor] = target.split('#')
  const wanted = join(dirname(file), path)
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (/\.(?:svg|png)$/.test(wanted)) return target
  const place = pageOf(wanted)
  if (place === undefined) return `${repository}/blob/main/${wanted}${hash}`
  const way = relative(dirname(page), place)
  return `${way.startsWith('.') ? way : `./${way}`}${place === 'index.md' ? '' : hash}`
}

/** Applies a change to all that is not a block of code. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^ *```[^]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}
