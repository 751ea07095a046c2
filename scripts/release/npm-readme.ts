/**
 * Pages as they are published: a link or a picture that is not beside the page has its whole address, of the tag of the release.
 * npm shows the README with no files of the repository beside it, and the package leaves out pictures and charts.
 */
import { posix } from 'node:path'
import { pageOf, type Manifest } from './manifest.ts'

/** The README as npm shows it: every link and every picture has its whole address. */
export function npmReadme(readme: string, manifest: Manifest): string {
  return publishedPage(readme, { manifest, page: 'README.md', has: () => false })
}

export interface Publication {
  readonly manifest: Manifest
  /** The place of the page in the package. */
  readonly page: string
  /** Whether the package has a file or a folder. */
  readonly has: (path: string) => boolean
}

export function publishedPage(text: string, { manifest, page, has }: Publication): string {
  const repository = pageOf(manifest)
  const tag = `v${manifest.version}`
  const raw = `${repository.replace('https://github.com/', 'https://raw.githubusercontent.com/')}/${tag}/`
  const whole = (target: string, isPicture: boolean): string => {
    if (isWhole(target)) return target
    const { path, hash } = placeOf(page, target)
    return has(path) ? target : `${isPicture ? raw : `${repository}/blob/${tag}/`}${path}${hash}`
  }
  return outsideCode(text, (part) =>
    part
      .replaceAll(links, (all: string, mark: string | undefined, label: string, target: string) =>
        mark === undefined ? all : `${mark}${label}(${whole(target, mark === '!')})`,
      )
      .replaceAll(
        /\b(src|srcset)="([^"]+)"/g,
        (_, name: string, target: string) => `${name}="${whole(target, true)}"`,
      ),
  )
}

/** A page without the spaces that line up the columns of its tables: half of some pages, and no reader of Markdown shows them. */
export function withoutPadding(text: string): string {
  return outsideCode(text, (part) =>
    part.replaceAll(/^\|.*\|$/gm, (row) =>
      row
        .replaceAll(/ {2,}(?=\|)/g, ' ')
        .replaceAll(/(?<=\|) {2,}/g, ' ')
        .replaceAll(/(?<=[|:] ?)-{4,}(?=:? \|)/g, '---'),
    ),
  )
}

/** The targets of a page that lead to nothing in the package. */
export function deadTargets(text: string, { page, has }: Omit<Publication, 'manifest'>): readonly string[] {
  return relativeTargets(text).filter((target) => !has(placeOf(page, target).path))
}

/** Where a target leads, from the root of the package. */
function placeOf(page: string, target: string): { readonly path: string; readonly hash: string } {
  const [path = '', hash] = target.split('#')
  const place = posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, '')
  return { path: place, hash: hash === undefined ? '' : `#${hash}` }
}

/** A link or a picture, whose text may have code; or code, which has none. */
const links = /(!?)(\[(?:`[^`\n]*`|[^\]`])*\])\(([^)\s]+)\)|`[^`\n]*`/g

/** The targets of a page that lead nowhere on npm. */
export function relativeTargets(readme: string): readonly string[] {
  const found: string[] = []
  outsideCode(readme, (text) => {
    for (const [, , , target] of text.matchAll(links)) if (target !== undefined) found.push(target)
    for (const [, target = ''] of text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)) found.push(target)
    return text
  })
  return found.filter((target) => !isWhole(target))
}

function isWhole(target: string): boolean {
  return /^(?:https:|mailto:|#)/.test(target)
}

function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}
