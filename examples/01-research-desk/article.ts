/** The article that the scripted writer writes: without its sources at first, with them when it revises. */
import { library } from './library.ts'
import { asTitle } from './topic.ts'

export function article(topic: string, { cited }: { cited: boolean }): string {
  const mark = (id: number): string => (cited ? ` [${id}]` : '')
  const paragraphs = [
    `# ${asTitle(topic)}: what we know, and what we do not`,
    `Ask three people about ${topic} and you will hear three stories: one about where it all began, one about what ` +
      'it costs, and one about what comes next. They contradict each other less than it seems.',
    `The first story is one of patience. A few enthusiasts did the early work, and institutions followed only once ` +
      `others could repeat the results${mark(1)}. Practice has kept that lesson: small, well-understood steps last, ` +
      `while grand promises seldom survive their first year${mark(2)}.`,
    `The second story is about the bill. The visible price is rarely the whole one; training, upkeep and attention ` +
      `make up the larger part${mark(3)}. Whoever plans for the purchase alone has planned for the smaller half.`,
    `The third story has no ending yet. There is no agreed measure of success, and nobody has settled who decides ` +
      `when something is not working${mark(4)}. That is no reason to wait. It is a reason to start small, to write ` +
      'down what would count as failure, and to look again in a year.',
  ]
  const sources = library.map(({ id, title }) => `[${id}] ${title}`).join(' · ')
  return [...paragraphs, ...(cited ? [`Sources: ${sources}`] : [])].join('\n\n')
}
