/**
 * Thoughts that a model writes into its text, as `<think>…</think>`: open models do where their server does not part them.
 * Each search goes on where the last one ended.
 */

/** A text in two parts. */
export interface Parted {
  readonly thoughts: string
  /** The text without the thoughts. */
  readonly answer: string
}

const opening = '<think>'
const closing = '</think>'

/**
 * Parts the thoughts of a text from the rest. A text that only closes them began with them: some servers put the opening
 * tag into the prompt. Thoughts that are not closed go to the end: the reply was cut off in them.
 */
export function withoutThoughts(text: string): Parted {
  const thoughts: string[] = []
  const answer: string[] = []
  let at = 0
  let open = text.indexOf(opening)
  for (let close = text.indexOf(closing); close !== -1; close = text.indexOf(closing, at)) {
    const isOpened = open !== -1 && open < close
    if (isOpened) answer.push(text.slice(at, open))
    // What stands before thoughts that nobody opened belongs to them.
    else thoughts.push(...answer.splice(0))
    thoughts.push(text.slice(isOpened ? open + opening.length : at, close))
    at = close + closing.length
    if (open !== -1 && open < at) open = text.indexOf(opening, at)
  }
  if (open === -1) answer.push(text.slice(at))
  else {
    answer.push(text.slice(at, open))
    thoughts.push(text.slice(open + opening.length))
  }
  return { thoughts: thoughts.join(''), answer: answer.join('') }
}
