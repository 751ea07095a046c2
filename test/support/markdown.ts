/** What our tests read in Markdown: tables, links, and the anchors that GitHub gives to headings. */

export type Row = readonly string[]

/** The rows of the first table after `mark`, without its head. */
export function tableAfter(text: string, mark: string): Row[] {
  const start = text.indexOf(mark)
  if (start === -1) throw new Error(`There is no "${mark}".`)
  const lines = text.slice(start + mark.length).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const after = lines.slice(first)
  const length = after.findIndex((line) => !line.startsWith('|'))
  return after.slice(2, length === -1 ? undefined : length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

export interface Link {
  readonly text: string
  readonly target: string
}

/** Links outside of code. */
export function linksIn(text: string): Link[] {
  return [...withoutCode(text).matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, label = '', target = '']) => ({
    text: label,
    target,
  }))
}

export function anchorsIn(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '')
}

function withoutCode(text: string): string {
  return withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '')
}
