/** What the page shows where a request has failed. */
import type { VNode } from 'preact'
import { isUnauthorized, messageOf } from '../connection/failure.ts'

export interface FailedProps {
  /** The thing that could not be loaded, as the subject of a sentence. */
  readonly subject: string
  readonly error: unknown
  readonly retry?: () => void
}

export function Failed({ subject, error, retry }: FailedProps): VNode {
  return (
    <div class="empty" role="alert">
      <h2>{subject} could not be loaded</h2>
      <p class="said">{messageOf(error)}</p>
      {isUnauthorized(error) && (
        <p>The inspector was started again. Open the address that it has printed last.</p>
      )}
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
