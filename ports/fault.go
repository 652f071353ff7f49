package ports

// FaultKind says what an adapter's error means for the effect.
type FaultKind string

// The kinds of faults.
const (
	// FaultInvalid: the arguments are wrong; nothing happened.
	FaultInvalid FaultKind = "invalid"
	// FaultFailed: it was tried and is known not to have happened.
	FaultFailed FaultKind = "failed"
	// FaultUncertain: it may have happened.
	FaultUncertain FaultKind = "uncertain"
	// FaultRefused: the other side answered that it will not.
	FaultRefused FaultKind = "refused"
	// FaultUnavailable: the other side could not be reached or is overloaded;
	// nothing happened.
	FaultUnavailable FaultKind = "unavailable"
)

// Fault is an error whose meaning for the effect is known. Any other error of an
// effecting call counts as FaultUncertain, of a read-only one as FaultFailed.
type Fault struct {
	// Kind is what it means.
	Kind FaultKind
	// Message is for the model and the record: no secret, no driver's words.
	Message string
	// Retriable says that another try may succeed, after DelayMillis.
	Retriable   bool
	DelayMillis int64
}

// Error is the message.
func (f *Fault) Error() string { return f.Message }

// Invalid says that the arguments are wrong.
func Invalid(message string) *Fault { return &Fault{Kind: FaultInvalid, Message: message} }

// Failed says that nothing happened.
func Failed(message string) *Fault { return &Fault{Kind: FaultFailed, Message: message} }

// Uncertain says that it may have happened.
func Uncertain(message string) *Fault { return &Fault{Kind: FaultUncertain, Message: message} }
