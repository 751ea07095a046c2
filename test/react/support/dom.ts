/** A document in this process, beside the sockets and the `fetch` of Node. It is imported before React. */
import { Window } from 'happy-dom'

const window = new Window({ url: 'http://127.0.0.1/' })
/** React finds its document as in a browser. */
Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true })

export function newContainer(): HTMLElement {
  return globalThis.document.createElement('div')
}
