/** Reads the text of a story file. */
import { storyVersion, type StoryHead, type StoryLine } from '../wire/story.ts'

export interface Story {
  readonly head: StoryHead
  readonly lines: readonly StoryLine[]
}

/** Throws an `Error` that says what is wrong, for a person who reads a page. */
export function readStory(text: string): Story {
  const [first, ...others] = text.split('\n').filter((line) => line.trim() !== '')
  const head = first === undefined ? undefined : parsed(first)
  if (!isRecord(head) || head['type'] !== 'troupe-story')
    throw new Error('This is no story: "troupe record" writes one.')
  if (head['version'] !== storyVersion)
    throw new Error(
      `This story has the version ${String(head['version'])}, and this page reads ${storyVersion}.`,
    )
  if (!isRecord(head['run']) || !Array.isArray(head['charts']))
    throw new Error('The first line of the story is not whole.')
  const lines = others.map((line, at) => {
    const value = parsed(line)
    if (
      isRecord(value) &&
      isRecord(value['row']) &&
      value['row']['row'] === at &&
      Array.isArray(value['actors'])
    )
      return value
    throw new Error(`Line ${at + 2} of the story is no entry: the file was cut or changed.`)
  })
  const { entries } = head['run'] as Partial<StoryHead['run']>
  if (lines.length < Number(entries))
    throw new Error(`The story has ${lines.length} of ${Number(entries)} entries: the file was cut.`)
  return { head, lines } as unknown as Story
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
