// Command waiter is the only file of an image without shell and env: it says that it runs, and leaves at once when it is told to.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

var version = "unknown"

func main() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT)
	fmt.Printf("waiter %s runs\n", version)
	<-told
}
