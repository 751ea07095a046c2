/** A text of a run: in its own direction, with its line breaks, and cut where it is long. */
import { visiblePieces } from '../../../kit/index.ts'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { countText, cutText } from './format.ts'

interface WordsProps {
  readonly text: string
  /** In quotation marks, as a value among others. */
  readonly isQuoted?: boolean
  /** Characters that are shown at first. */
  readonly most?: number
}

export function Words({ text, isQuoted = false, most = 1200 }: WordsProps): VNode {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? text : cutText(text, most)
  const isCut = shown.length < text.length
  return (
    <span class="words">
      <span class={isQuoted ? 'said json-string' : 'said'} dir="auto">
        {isQuoted && '"'}
        <Said text={shown} />
        {isQuoted && '"'}
      </span>
      {isCut && (
        <button type="button" class="button more" onClick={() => setWhole(true)}>
          Show all {countText(text.length)} characters
        </button>
      )}
    </span>
  )
}

/** A text of a run whose unseen characters are marks: what is decided by it is what is there. */
export function Said({ text }: { readonly text: string }): VNode {
  return (
    <>
      {visiblePieces(text).map(({ text: piece, isMark }, index) =>
        isMark ? (
          <mark
            key={index}
            class="unseen-character"
            title="A character that is not seen, or that changes the order of others"
          >
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </>
  )
}
