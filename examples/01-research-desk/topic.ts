/** The topic, from the command line. */
const defaultTopic = 'AI in education'
const usage = 'Usage: npm start -- "AI in education"'

const longest = 120

/** Throws an error that says what is wrong with the topic. */
export function readTopic(args: readonly string[]): string {
  if (args.length === 0) return defaultTopic
  const topic = args
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.?!]+$/, '')
  if (topic === '') throw new Error(`The topic is empty.\n${usage}`)
  if (topic.length > longest) {
    throw new Error(`The topic is ${topic.length} characters long; at most ${longest} are allowed.\n${usage}`)
  }
  // "The history of tea" stands in the middle of sentences.
  return topic.replace(/^(The|A|An|How|Why|What|Where|When|Who)\b/, (word) => word.toLowerCase())
}

export function asTitle(topic: string): string {
  return topic.charAt(0).toUpperCase() + topic.slice(1)
}
