/** Repeats actions while the page is visible. */

/** Run soon, then again some time after each end, while the page is visible; returns a function that stops this. */
export function repeatWhileVisible(action: () => Promise<unknown>, pauseMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false
  let isActing = false

  async function act() {
    clearTimeout(timer)
    if (isActing || isEnded || document.hidden) return
    isActing = true
    try {
      await action()
    } finally {
      isActing = false
      if (!isEnded) timer = setTimeout(() => void act(), pauseMs)
    }
  }

  const listener = () => void act()
  document.addEventListener('visibilitychange', listener)
  // Not at once, so that an effect that calls this does not depend on what the action reads.
  timer = setTimeout(listener)
  return () => {
    isEnded = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', listener)
  }
}
