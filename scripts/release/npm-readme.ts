/**
 * The README as npm shows it: every link and every picture has its whole address, of the tag of the release. npm has no files of
 * the repository beside it.
 */
import { pageOf, type Manifest } from './manifest.ts'

export function npmReadme(readme: string, manifest: Manifest): string {
  const page = pageOf(manifest)
  const tag = `v${manifest.version}`
  const raw = `${page.replace('https://github.com/', 'https://raw.githubusercontent.com/')}/${tag}/`
  const whole = (target: string, isPicture: boolean): string =>
    isWhole(target) ? target : `${isPicture ? raw : `${page}/blob/${tag}/`}${target}`
  return outsideCode(readme, (text) =>
    text
      .replaceAll(links, (all: string, mark: string | undefined, label: string, target: string) =>
        mark === undefined ? all : `${mark}${label}(${whole(target, mark === '!')})`,
      )
      .replaceAll(
        /\b(src|srcset)="([^"]+)"/g,
        (_, name: string, target: string) => `${name}="${whole(target, true)}"`,
      ),
  )
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
