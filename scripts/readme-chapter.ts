/** A chapter of the README as a list of deeds: files to write, commands to run, and the output to expect. */
export type Deed =
  | { readonly kind: 'write'; readonly file: string; readonly code: string }
  | { readonly kind: 'run'; readonly commands: readonly string[] }
  | { readonly kind: 'expect'; readonly output: string }

/** Throws where the chapter has a block that is none of these, or code without the name of its file before it. */
export function deedsOf(readme: string, title: string): readonly Deed[] {
  const chapter = new RegExp(`^## ${title}\\n([^\\0]*?)(?=^## )`, 'm').exec(`${readme}\n## end`)?.[1]
  if (chapter === undefined) throw new Error(`The README has no chapter "${title}".`)
  const blocks = [...chapter.matchAll(/([^\0]*?)^```(\w+)\n([^\0]*?)^```$/gm)]
  return blocks.map(([, before = '', language = '', content = '']) => {
    switch (language) {
      case 'ts': {
        const file = [...before.matchAll(/`([\w.-]+\.mts)`/g)].at(-1)?.[1]
        if (file === undefined) throw new Error(`The code of "${title}" has no file.`)
        return { kind: 'write', file, code: content }
      }
      case 'sh':
        return { kind: 'run', commands: content.trim().split('\n') }
      case 'text':
        return { kind: 'expect', output: content.trimEnd() }
      default:
        throw new Error(`The chapter "${title}" has a block of ${language}.`)
    }
  })
}
