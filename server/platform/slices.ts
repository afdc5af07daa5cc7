/** Work between two turns of the event loop, in milliseconds: less than most requests take. */
const SLICE_MS = 1

const waiting: (() => void)[] = []

/** All work in slices takes turns: one slice in each turn of the event loop, however much work there is. */
function nextSlice(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(beginOne)
  })
}

function beginOne(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(beginOne)
}

/** Maps many items in slices, so that requests are answered in between. */
export async function mapInSlices<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item, place: number) => Mapped,
): Promise<Mapped[]> {
  const mapped: Mapped[] = []
  while (mapped.length < items.length) {
    await nextSlice()
    const end = performance.now() + SLICE_MS
    do mapped.push(map(items[mapped.length]!, mapped.length))
    while (mapped.length < items.length && performance.now() < end)
  }
  return mapped
}
