/** A `fetch` over the HTTP of Node, for calls of models: it takes less CPU than that of the platform. */
export { nodeFetch, type NodeFetchOptions } from './node-fetch.ts'
